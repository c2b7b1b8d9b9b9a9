/**
 * Cache policy: which responses of core may be cached, and which of their headers are sent again.
 */
import { Readable } from 'node:stream'
import { locales, PAGE_LOCALES_HEADER, PAGE_OWNER_HEADER } from '@status-page/contracts'
import type { UpstreamResponse } from '../upstream/upstream-request.ts'
import type { CacheEntry, EntryBody } from './cache-entry.ts'
import { compressLargeBody } from './large-body.ts'

const SECOND_MS = 1_000

export interface CachePolicyInput {
  before: CacheEntry | undefined
  slug: string
  requestedAt: number
  validatedAt: number
}

const CACHEABLE = /^public, max-age=(\d{1,8})\b/

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

/**
 * Cache entry of the response; null where the response is not public. Consumes the body of a
 * public response only.
 */
export const toCacheEntry = async (
  { status, headers, body }: UpstreamResponse,
  { before, slug, requestedAt, validatedAt }: CachePolicyInput,
): Promise<CacheEntry | null> => {
  const [, maxAge] = CACHEABLE.exec(headers['cache-control'] ?? '') ?? []
  if (maxAge === undefined) return null
  const times = { requestedAt, validatedAt, maxAgeMs: Number(maxAge) * SECOND_MS }
  if (status === 304) return before === undefined ? null : { ...before, ...times }
  const organizationId = headers[PAGE_OWNER_HEADER]
  if (status !== 200 || typeof headers.etag !== 'string') return null
  if (typeof organizationId !== 'string') return null
  const picked = storedHeaders.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  const content = {
    headers: Object.fromEntries(picked),
    body: await entryBodyOf(body),
    etag: headers.etag,
    locales: negotiatedLocales(headers),
    variants: {},
  }
  return { ...content, ...times, slug, organizationId }
}

const entryBodyOf = async (body: UpstreamResponse['body']): Promise<EntryBody> =>
  body instanceof Readable
    ? compressLargeBody(body)
    : { bytes: body, encoding: 'identity', length: body.length }

/** Locales from which core chose the language of the response; undefined where it had no choice. */
export const negotiatedLocales = (headers: UpstreamResponse['headers']): CacheEntry['locales'] => {
  const names = String(headers[PAGE_LOCALES_HEADER] ?? '').split(' ')
  const [first, ...others] = names.flatMap(
    (name) => locales.find((locale) => locale === name) ?? [],
  )
  return first === undefined ? undefined : [first, ...others]
}
