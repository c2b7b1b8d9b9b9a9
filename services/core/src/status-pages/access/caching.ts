/**
 * Cache headers and ETags of public responses. A response is the same for every visitor of a public
 * page; responses of restricted pages are not cached.
 */
import { type Cooperative, PAGE_OWNER_HEADER, type PublicStatus } from '@status-page/contracts'
import {
  digestCooperatively,
  etagsMatch,
  type RawReply,
  rawReply,
  runCooperatively,
  stringifyJson,
} from '@status-page/service'
import type { StatusPageRow } from '../../tables.ts'

export const MAX_AGE_SECONDS = 30
/**
 * Maximum age of pages with metrics: together with the transport, a displayed value is at most 5 s
 * old.
 */
const METRICS_MAX_AGE_SECONDS = 2
/** Maximum age of embedded or polled responses: feeds and badges. */
export const SLOW_MAX_AGE_SECONDS = 60

export interface PublicResponse {
  /** Computations and functions run after the transaction, so rendering holds no connection. */
  body: string | Cooperative<Buffer> | (() => Promise<Buffer>)
  contentType: string
  maxAgeSeconds: number
  /** Additional headers of this response. */
  headers?: Readonly<Record<string, string>>
  /** Path to which the response redirects permanently. */
  location?: string
}

/** Response with its rendered body. */
export interface RenderedResponse extends Omit<PublicResponse, 'body'> {
  body: Buffer
  /** SHA-256 of the body. */
  digest: string
}

export const renderResponse = async ({
  body,
  ...rest
}: PublicResponse): Promise<RenderedResponse> => {
  const bytes = await bytesOf(body)
  return { ...rest, body: bytes, digest: await runCooperatively(digestCooperatively(bytes)) }
}

const bytesOf = (body: PublicResponse['body']): Buffer | Promise<Buffer> => {
  if (typeof body === 'string') return Buffer.from(body)
  return typeof body === 'function' ? body() : runCooperatively(body)
}

/**
 * Serialized cooperatively after the transaction: a page of a thousand components is several
 * megabytes.
 */
export const jsonResponse = (reply: object, maxAgeSeconds = MAX_AGE_SECONDS): PublicResponse => ({
  body: stringifyJson(reply),
  contentType: 'application/json; charset=utf-8',
  maxAgeSeconds,
})

/** Maximum age of a response, depending on whether it shows metrics. */
export const statusMaxAgeSeconds = ({ metrics }: Pick<PublicStatus, 'metrics'>): number =>
  metrics.length > 0 ? METRICS_MAX_AGE_SECONDS : MAX_AGE_SECONDS

const cacheControl = (maxAge: number) => {
  const stale = maxAge > METRICS_MAX_AGE_SECONDS ? ', stale-while-revalidate=60' : ''
  return `public, max-age=${maxAge}${stale}, stale-if-error=86400`
}

const MOVED_PERMANENTLY = 301

/** Response of a part of a page that has another path. */
export const movedTo = (location: string): PublicResponse => ({
  body: '',
  contentType: 'text/html; charset=utf-8',
  maxAgeSeconds: SLOW_MAX_AGE_SECONDS,
  location,
})

const NOT_INDEXED = { 'x-robots-tag': 'noindex' }

export const publicReply = (
  response: RenderedResponse,
  { allowIndexing, organizationId }: Pick<StatusPageRow, 'allowIndexing' | 'organizationId'>,
  ifNoneMatch: string | string[] | undefined,
): RawReply => {
  const { contentType, maxAgeSeconds, body, digest, location } = response
  const etag = `"${digest}"`
  const headers = {
    etag,
    'cache-control': cacheControl(maxAgeSeconds),
    'access-control-allow-origin': '*',
    [PAGE_OWNER_HEADER]: organizationId,
    ...(allowIndexing ? {} : NOT_INDEXED),
    ...response.headers,
  }
  if (location !== undefined) {
    const { etag: _etag, ...others } = headers
    return rawReply({
      status: MOVED_PERMANENTLY,
      contentType,
      headers: { ...others, location },
      body,
    })
  }
  return etagsMatch(etag, ifNoneMatch)
    ? rawReply({ status: 304, contentType, headers, body: '' })
    : rawReply({ status: 200, contentType, headers, body })
}

export const privateReply = (
  { body, contentType, headers, location }: RenderedResponse,
  { organizationId }: Pick<StatusPageRow, 'organizationId'>,
): RawReply => {
  const privateHeaders = {
    'cache-control': 'no-store',
    [PAGE_OWNER_HEADER]: organizationId,
    ...NOT_INDEXED,
  }
  const all = { ...headers, ...privateHeaders }
  return location === undefined
    ? rawReply({ contentType, body, headers: all })
    : rawReply({ status: MOVED_PERMANENTLY, contentType, body, headers: { ...all, location } })
}
