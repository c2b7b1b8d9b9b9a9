/**
 * Version of a page, read from its response, with its organization and whether it is public. Pure.
 */
import { Readable } from 'node:stream'
import { PAGE_OWNER_HEADER, PAGE_VERSION_ATTRIBUTE } from '@status-page/contracts'
import { openingOf } from '../page-cache/cache-entry.ts'
import type { PageResponse } from '../page-cache/upstream-outcome.ts'

export interface PageVersion {
  version: string
  /** Undefined where the response names no organization. */
  organizationId: string | undefined
  isPublic: boolean
  /** Time of the request; later changes may be missing. */
  requestedAt: number
}

const OK = 200
const MIN_ERROR_STATUS = 500

/** Version of the served page; null where it has none. */
export const readPageVersion = (served: PageResponse, requestedAt: number): PageVersion | null => {
  if (served.kind === 'cached') {
    const { entry } = served
    const version = versionIn(openingOf(entry.body))
    const { organizationId } = entry
    if (version === null) return null
    return { version, organizationId, requestedAt: entry.requestedAt, isPublic: true }
  }
  const { status, headers, body } = served.response
  const version = status === OK && !(body instanceof Readable) ? versionIn(body) : null
  if (version === null) return null
  const owner = headers[PAGE_OWNER_HEADER]
  const organizationId = typeof owner === 'string' ? owner : undefined
  // A public page that was requested during an access change is not cached, but is public all the
  // same.
  const isPublic = headers['cache-control']?.startsWith('public') ?? false
  return { version, organizationId, requestedAt, isPublic }
}

const VERSION_START = `${PAGE_VERSION_ATTRIBUTE}="`

const VERSION = /^[\w-]{1,64}(?=")/
const MAX_VERSION_BYTES = 65

/**
 * Reads the version attribute. HTML escapes quotation marks in all other text; Markdown does not,
 * so only a single token counts as a version.
 */
const versionIn = (page: Buffer): string | null => {
  const start = page.indexOf(VERSION_START)
  if (start === -1) return null
  const from = start + VERSION_START.length
  return VERSION.exec(page.toString('latin1', from, from + MAX_VERSION_BYTES))?.[0] ?? null
}

/** Returns whether core did not respond, so that the version is unknown. */
export const isUpstreamFailure = (served: PageResponse): boolean =>
  served.kind === 'cached' ? served.isOutdated : served.response.status >= MIN_ERROR_STATUS
