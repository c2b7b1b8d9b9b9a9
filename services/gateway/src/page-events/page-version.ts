/** What one look at a page has shown of it: what it says, whose it is, who may see it. Pure. */
import { Readable } from 'node:stream'
import { PAGE_OWNER_HEADER, PAGE_VERSION_ATTRIBUTE } from '@status-page/contracts'
import type { Served } from '../page-cache/page-cache.ts'

export interface PageVersion {
  version: string
  /** Undefined where nobody says so. */
  organizationId: string | undefined
  isPublic: boolean
  /** What happened later it may not have seen. */
  requestedAt: number
}

const OK = 200
const MIN_ERROR_STATUS = 500

/** Null where there is nothing to follow. */
export const readPageVersion = (served: Served, requestedAt: number): PageVersion | null => {
  if (served.kind === 'cached') {
    const { entry } = served
    const version = versionIn(entry.body)
    const { organizationId } = entry
    if (version === null) return null
    return { version, organizationId, requestedAt: entry.requestedAt, isPublic: true }
  }
  const { status, headers, body } = served.response
  const version = status === OK && !(body instanceof Readable) ? versionIn(body) : null
  if (version === null) return null
  const owner = headers[PAGE_OWNER_HEADER]
  const organizationId = typeof owner === 'string' ? owner : undefined
  // One that was asked for while who may see the page changed is not kept, whoever it is for.
  const isPublic = headers['cache-control']?.startsWith('public') ?? false
  return { version, organizationId, requestedAt, isPublic }
}

const VERSION_START = `${PAGE_VERSION_ATTRIBUTE}="`

const VERSION = /^[\w-]{1,64}(?=")/
const MAX_VERSION_BYTES = 65

/**
 * Whatever else a page says has no quotation marks: they are escaped. As Markdown it may say what it
 * likes, so what would be more than one word of a stream is no version.
 */
const versionIn = (page: Buffer): string | null => {
  const start = page.indexOf(VERSION_START)
  if (start === -1) return null
  const from = start + VERSION_START.length
  return VERSION.exec(page.toString('latin1', from, from + MAX_VERSION_BYTES))?.[0] ?? null
}

/** Nobody answered: nothing new is known of the page. */
export const isFailure = (served: Served): boolean =>
  served.kind === 'cached' ? served.isOutdated : served.response.status >= MIN_ERROR_STATUS
