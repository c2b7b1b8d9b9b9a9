/**
 * Cache policy: which responses of core may be cached, and which of their headers are sent again.
 * Pure.
 */
import { Readable } from 'node:stream'
import { PAGE_OWNER_HEADER } from '@status-page/contracts'
import type { UpstreamResponse } from '../upstream/upstream-request.ts'
import type { CacheEntry } from './cache-entry.ts'

const SECOND_MS = 1_000

export interface CachePolicyInput {
  before: CacheEntry | undefined
  slug: string
  requestedAt: number
  validatedAt: number
}

const CACHEABLE = /^public, max-age=(\d{1,5})\b/

/** Headers that are sent again; other headers of core stay internal. */
const storedHeaders = [
  'cache-control',
  'content-language',
  'content-security-policy',
  'content-type',
  'referrer-policy',
  'vary',
  'x-robots-tag',
] as const

/** Cache entry of the response; null where the response is not public. */
export const toCacheEntry = (
  { status, headers, body }: UpstreamResponse,
  { before, slug, requestedAt, validatedAt }: CachePolicyInput,
): CacheEntry | null => {
  const [, maxAge] = CACHEABLE.exec(headers['cache-control'] ?? '') ?? []
  if (maxAge === undefined) return null
  const times = { requestedAt, validatedAt, maxAgeMs: Number(maxAge) * SECOND_MS }
  if (status === 304) return before === undefined ? null : { ...before, ...times }
  const organizationId = headers[PAGE_OWNER_HEADER]
  const isComplete =
    status === 200 && !(body instanceof Readable) && typeof headers.etag === 'string'
  if (!isComplete || typeof organizationId !== 'string') return null
  const picked = storedHeaders.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  const content = {
    headers: Object.fromEntries(picked),
    body: body as Buffer,
    etag: String(headers.etag),
    variants: {},
  }
  return { ...content, ...times, slug, organizationId }
}
