/** A kept answer over HTTP: packed, or not at all for who has it; and what tells of its changes. */
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { streamHeaders } from '../page-events/event-stream.ts'
import {
  type CacheEntry,
  compressedBody,
  type Encoding,
  encodingFor,
  etagsMatch,
  outdatedBody,
} from './cache-entry.ts'
import type { Served } from './page-cache.ts'
import type { Said } from './response-cache.ts'

/** Caches in front ask again soon, and meanwhile have what we have. */
const OUTDATED_CACHE_CONTROL = 'public, max-age=5, stale-if-error=86400'
const SECOND_MS = 1_000

/** Body of a cached response in the encoding that the request accepts. */
export interface EncodedBody {
  encoding: Encoding
  bytes: Buffer
}

type CachedResponse = Extract<Served, { kind: 'kept' }>

/** Compresses in the thread pool, which can take seconds on a busy process. */
export const encodeBody = async (
  request: FastifyRequest,
  { kept, isOutdated }: CachedResponse,
): Promise<EncodedBody> => {
  const body = isOutdated ? outdatedBody(kept) : kept.body
  const taken = String(request.headers['accept-encoding'] ?? '')
  const encoding = encodingFor(taken, { body, headers: kept.headers })
  return { encoding, bytes: await compressedBody(body, encoding) }
}

export const sendKept = (
  request: FastifyRequest,
  reply: FastifyReply,
  { served, body }: { served: CachedResponse; body: EncodedBody },
  remember: (said: Pick<Said, 'kept' | 'body' | 'tag' | 'ofWhole'>) => void,
) => {
  const { kept, isOutdated } = served
  const { encoding, bytes } = body
  const tag = isOutdated ? `"${kept.etag.replaceAll('"', '')}-${kept.validatedAt}"` : kept.etag
  reply.headers(kept.headers)
  reply.header('vary', [kept.headers.vary, 'accept-encoding'].filter(Boolean).join(', '))
  // The same page in other bytes (RFC 9110, 8.8.3.3).
  reply.header('etag', encoding === 'identity' ? tag : `W/${tag}`)
  if (isOutdated) describeAge(reply, kept)
  const ofWhole = encoding === 'identity' ? {} : { 'content-encoding': encoding }
  if (!isOutdated) remember({ kept, body: bytes, tag, ofWhole })
  if (etagsMatch(tag, request.headers['if-none-match'])) return reply.code(304).send()
  return reply.code(200).headers(ofWhole).send(bytes)
}

export const sendStream = (request: FastifyRequest, reply: FastifyReply, stream: Readable) => {
  reply.code(200).headers(streamHeaders)
  if (request.method !== 'HEAD') return reply.send(stream)
  stream.destroy()
  return reply.send('')
}

const describeAge = (reply: FastifyReply, { validatedAt }: CacheEntry): void => {
  const age = Math.max(0, Math.floor((Date.now() - validatedAt) / SECOND_MS))
  reply.header('age', String(age))
  reply.header('cache-control', OUTDATED_CACHE_CONTROL)
  reply.header('x-outdated-since', new Date(validatedAt).toISOString())
}
