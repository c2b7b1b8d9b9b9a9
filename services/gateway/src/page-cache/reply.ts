/** Reply from a cache entry: compressed, or 304 where the client has the entry. */
import { etagsMatch } from '@status-page/service'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type CacheEntry,
  type Encoding,
  type EntryBody,
  encodedBody,
  encodingFor,
  outdatedBody,
} from './cache-entry.ts'
import { plainLargeBody } from './large-body.ts'
import type { PageResponse } from './upstream-outcome.ts'

/** Shared caches revalidate soon and serve their copy until then. */
const OUTDATED_CACHE_CONTROL = 'public, max-age=5, stale-if-error=86400'
const SECOND_MS = 1_000

/** Body of a cached response in the encoding that the request accepts. */
export interface EncodedBody {
  encoding: Encoding
  stored: EntryBody
  /** Null for the identity of a large body, which is decompressed while it is sent. */
  bytes: Buffer | null
}

/** Response of a fresh entry, as it is sent. */
export interface SentResponse {
  entry: CacheEntry
  encoding: Encoding
  body: Buffer
  /** Headers of a 200 response that a 304 response lacks. */
  bodyHeaders: Readonly<Record<string, string>>
}

type ServedEntry = Extract<PageResponse, { kind: 'cached' }>

/** Compresses in the thread pool, which can take seconds on a busy process. */
export const encodeBody = async (
  request: FastifyRequest,
  { entry, isOutdated }: ServedEntry,
): Promise<EncodedBody> => {
  const stored = isOutdated ? await outdatedBody(entry) : entry.body
  const accepted = String(request.headers['accept-encoding'] ?? '')
  const encoding = encodingFor(accepted, { body: stored, headers: entry.headers })
  return { encoding, stored, bytes: await encodedBody(stored, encoding) }
}

export const sendCached = (
  request: FastifyRequest,
  reply: FastifyReply,
  { served, body }: { served: ServedEntry; body: EncodedBody },
  remember: (sent: SentResponse) => void,
) => {
  const { entry, isOutdated } = served
  const { encoding, stored, bytes } = body
  const etag = isOutdated ? `"${entry.etag.replaceAll('"', '')}-${entry.validatedAt}"` : entry.etag
  reply.headers(entry.headers)
  reply.header('vary', [entry.headers.vary, 'accept-encoding'].filter(Boolean).join(', '))
  // Weak, because the bytes differ by encoding (RFC 9110, 8.8.3.3).
  reply.header('etag', encoding === 'identity' ? etag : `W/${etag}`)
  if (isOutdated) describeAge(reply, entry)
  const bodyHeaders = encoding === 'identity' ? {} : { 'content-encoding': encoding }
  if (!isOutdated && bytes !== null) remember({ entry, encoding, body: bytes, bodyHeaders })
  if (etagsMatch(etag, request.headers['if-none-match'])) return reply.code(304).send()
  reply.code(200).headers(bodyHeaders)
  if (bytes !== null) return reply.send(bytes)
  return reply.header('content-length', stored.length).send(plainLargeBody(stored))
}

const describeAge = (reply: FastifyReply, { validatedAt }: CacheEntry): void => {
  const age = Math.max(0, Math.floor((Date.now() - validatedAt) / SECOND_MS))
  reply.header('age', String(age))
  reply.header('cache-control', OUTDATED_CACHE_CONTROL)
  reply.header('x-outdated-since', new Date(validatedAt).toISOString())
}
