/** Public answers are bytes with a tag: whoever has them is told so, whoever is in front may keep them. */
import { createHash } from 'node:crypto'
import { type RawReply, raw } from '@status-page/service'

export const MAX_AGE_SECONDS = 30
export const FEED_MAX_AGE_SECONDS = 60

const cacheControl = (maxAge: number) =>
  `public, max-age=${maxAge}, stale-while-revalidate=60, stale-if-error=86400`

export const publicReply = (
  answer: { body: string; contentType: string; maxAgeSeconds: number },
  ifNoneMatch: string | string[] | undefined,
): RawReply => {
  const { contentType, maxAgeSeconds } = answer
  const body = Buffer.from(answer.body)
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  const headers = {
    etag,
    'cache-control': cacheControl(maxAgeSeconds),
    'access-control-allow-origin': '*',
  }
  return matches(etag, ifNoneMatch)
    ? raw({ status: 304, contentType, headers, body: '' })
    : raw({ status: 200, contentType, headers, body })
}

/** Weak comparison, as RFC 9110 asks: a proxy may have weakened our tag. */
const matches = (etag: string, ifNoneMatch: string | string[] | undefined): boolean => {
  const tags = [ifNoneMatch ?? []].flat().join(',')
  if (tags.trim() === '*') return true
  return tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
