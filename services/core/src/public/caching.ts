/**
 * Public answers are bytes with a tag: whoever has them is told so, whoever is in front may keep them.
 * They are the same for every visitor; answers of pages that are not for everybody are kept by nobody.
 */
import { createHash } from 'node:crypto'
import { PAGE_OWNER_HEADER, type PublicStatus } from '@status-page/contracts'
import { type RawReply, raw, runCooperatively, stringifyJson } from '@status-page/service'
import type { StatusPageRow } from '../tables.ts'

export const MAX_AGE_SECONDS = 30
/** Maximum age of pages with metrics: with the time of their transport a value shown is at most 5 s old. */
const METRICS_MAX_AGE_SECONDS = 2
/** Of what is embedded or polled: feeds and badges. */
export const SLOW_MAX_AGE_SECONDS = 60

export interface PublicResponse {
  /** A function for what costs time: it is made when the transaction is over. */
  body: string | (() => Promise<Buffer>)
  contentType: string
  maxAgeSeconds: number
  /** Beside those of every public answer. */
  headers?: Readonly<Record<string, string>>
}

/** With its bytes. */
export interface RenderedResponse extends Omit<PublicResponse, 'body'> {
  body: string | Buffer
}

export const madeOf = async ({ body, ...rest }: PublicResponse): Promise<RenderedResponse> => ({
  ...rest,
  body: typeof body === 'function' ? await body() : body,
})

/** Made in slices when the transaction is over: a page of a thousand components is megabytes. */
export const asJson = (reply: object, maxAgeSeconds = MAX_AGE_SECONDS): PublicResponse => ({
  body: async () => Buffer.from(await runCooperatively(stringifyJson(reply))),
  contentType: 'application/json; charset=utf-8',
  maxAgeSeconds,
})

/** Maximum age of an answer that shows these metrics. */
export const maxAgeWith = ({ metrics }: Pick<PublicStatus, 'metrics'>): number =>
  metrics.length > 0 ? METRICS_MAX_AGE_SECONDS : MAX_AGE_SECONDS

const cacheControl = (maxAge: number) => {
  const stale = maxAge > METRICS_MAX_AGE_SECONDS ? ', stale-while-revalidate=60' : ''
  return `public, max-age=${maxAge}${stale}, stale-if-error=86400`
}

const NOT_INDEXED = { 'x-robots-tag': 'noindex' }

export const publicReply = (
  answer: RenderedResponse,
  { allowIndexing, organizationId }: Pick<StatusPageRow, 'allowIndexing' | 'organizationId'>,
  ifNoneMatch: string | string[] | undefined,
): RawReply => {
  const { contentType, maxAgeSeconds } = answer
  const body = Buffer.from(answer.body)
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  const headers = {
    etag,
    'cache-control': cacheControl(maxAgeSeconds),
    'access-control-allow-origin': '*',
    [PAGE_OWNER_HEADER]: organizationId,
    ...(allowIndexing ? {} : NOT_INDEXED),
    ...answer.headers,
  }
  return matches(etag, ifNoneMatch)
    ? raw({ status: 304, contentType, headers, body: '' })
    : raw({ status: 200, contentType, headers, body })
}

export const privateReply = (
  { body, contentType, headers }: RenderedResponse,
  { organizationId }: Pick<StatusPageRow, 'organizationId'>,
): RawReply => {
  const own = { 'cache-control': 'no-store', [PAGE_OWNER_HEADER]: organizationId, ...NOT_INDEXED }
  return raw({ contentType, body, headers: { ...headers, ...own } })
}

/** Weak comparison, as RFC 9110 asks: a proxy may have weakened our tag. */
const matches = (etag: string, ifNoneMatch: string | string[] | undefined): boolean => {
  const tags = [ifNoneMatch ?? []].flat().join(',')
  if (tags.trim() === '*') return true
  return tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
