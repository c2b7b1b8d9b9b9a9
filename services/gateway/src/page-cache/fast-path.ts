/**
 * Fast path for cached public responses. Writes a fresh entry directly from the server's `request`
 * event, before Fastify builds a request, reply and hooks, which cost more than the response. Rate
 * limits and metrics still apply. Every other request falls through to Fastify.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Metrics,
  REQUEST_ID_HEADER,
  requestIdOf,
  validateRawHeaders,
} from '@status-page/service'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CustomDomains } from '../custom-domains/custom-domains.ts'
import { customDomainTargetOf } from '../custom-domains/request-rewrite.ts'
import type { ClientNetworkOf } from '../edge/client-network.ts'
import { validateRequestMessage } from '../edge/protocol.ts'
import { singleSyncedCounter } from '../limits/buckets.ts'
import { type Limiter, rawRateLimitHeaders } from '../limits/limiter.ts'
import { type CacheEntry, etagsMatch } from './cache-entry.ts'
import type { PageCache } from './page-cache.ts'
import { RequestCoalescer } from './request-coalescer.ts'
import {
  type CachedResponse,
  MAX_KEY_LENGTH,
  ResponseCache,
  variantKey,
  type WritableResponse,
} from './response-cache.ts'

/** Maximum size of a body that is sent with its headers as one string, in one system call. */
const MAX_TEXT_BYTES = 12 * 1024
const SECOND_MS = 1_000

export interface CacheFastPath {
  /** Stores a response for requests of the same variant. */
  remember(request: FastifyRequest, reply: FastifyReply, stored: WritableResponse): void
}

interface CacheFastPathOptions {
  cache: Pick<PageCache, 'getFresh' | 'getStale'>
  domains: Pick<CustomDomains, 'targetOf'>
  limiter: Limiter
  metrics: Pick<Metrics, 'observe'>
  networkOf: ClientNetworkOf
}

/**
 * Registers the fast path on the server; injected requests bypass the server and take the normal
 * path.
 */
export const registerCacheFastPath = (
  fastify: FastifyInstance,
  options: CacheFastPathOptions,
): CacheFastPath => {
  const { cache, domains } = options
  const responses = new ResponseCache()
  const coalescer = new RequestCoalescer()
  const respond = createResponder(options)

  /** Returns whether the fast path has responded or has queued the request. */
  const isHandled = (message: IncomingMessage, response: ServerResponse): boolean => {
    const { method, url = '', headers } = message
    if (method !== 'GET' || fastify.closing.aborted) return false
    const startMs = performance.now()
    const key = variantKey(url, domains.targetOf(headers.host), headers)
    const cached = responses.get(key)
    if (cached === undefined || !isWellFormed(message)) return false
    const pending = { key, message, response, startMs }
    if (isCurrent(cached, cache.getFresh(cached.stored.key))) return respond(cached, pending)
    if (!coalescer.isInFlight(key)) {
      response.once('close', coalescer.begin(key))
      return false
    }
    if (isCurrent(cached, cache.getStale(cached.stored.key))) return respond(cached, pending)
    return coalescer.wait(key, () => resume(pending))
  }

  const resume = (pending: PendingRequest) => {
    const { key, message, response } = pending
    if (response.destroyed) return
    const cached = responses.get(key)
    const isStillCurrent =
      cached !== undefined && isCurrent(cached, cache.getFresh(cached.stored.key))
    if (!isStillCurrent || fastify.closing.aborted || !respond(cached, pending))
      fastify.routing(message, response)
  }

  fastify.server.off('request', fastify.routing)
  fastify.server.on('request', (message, response) => {
    if (!isHandled(message, response)) fastify.routing(message, response)
  })

  return {
    remember({ originalUrl, raw, headers, method }, reply, stored) {
      const key = variantKey(originalUrl, customDomainTargetOf(raw), headers)
      const isPlain = method === 'GET' && !reply.hasHeader('set-cookie')
      if (!isPlain || key.length > MAX_KEY_LENGTH) return
      const cached = toCachedResponse(reply, stored)
      if (cached === null) return
      responses.set(key, cached)
      coalescer.release(key)
    },
  }
}

interface PendingRequest {
  key: string
  message: IncomingMessage
  response: ServerResponse
  startMs: number
}

/**
 * Responds with 200 or 304 from the stored response; false where the normal path has to respond
 * with an error.
 */
const createResponder =
  ({ limiter, metrics, networkOf }: CacheFastPathOptions) =>
  (cached: CachedResponse, { message, response, startMs }: PendingRequest): boolean => {
    const network = networkOf(message)
    if (network === null) return false
    const rateLimit = limiter.chargeInMemory(cached.counterOf(network))
    if (rateLimit.isExceeded) return false
    const headers = [
      ...rawRateLimitHeaders(rateLimit),
      REQUEST_ID_HEADER,
      requestIdOf(message.headers),
    ]
    const ifNoneMatch = message.headers['if-none-match']
    const isUnchanged =
      ifNoneMatch === cached.sentEtag || etagsMatch(cached.stored.etag, ifNoneMatch)
    if (isUnchanged) response.writeHead(304, cached.notModifiedHeaders.concat(headers)).end()
    else response.writeHead(200, cached.okHeaders.concat(headers)).end(cached.body, 'latin1')
    metrics.observe({
      operation: cached.stored.operation.id,
      status: response.statusCode,
      seconds: (performance.now() - startMs) / SECOND_MS,
    })
    return true
  }

/**
 * Returns whether the cache still holds the entry; a confirmed entry keeps its body and headers.
 */
const isCurrent = ({ stored: { entry } }: CachedResponse, known: CacheEntry | undefined): boolean =>
  known?.body === entry.body && known.headers === entry.headers

const isWellFormed = (message: IncomingMessage): boolean => {
  try {
    validateRawHeaders(message)
    return validateRequestMessage(message) === undefined
  } catch {
    return false
  }
}

/** Ready-to-write form of a sent response; null when its limits cannot be charged in memory. */
const toCachedResponse = (reply: FastifyReply, stored: WritableResponse): CachedResponse | null => {
  const counterOf = singleSyncedCounter(stored.operation)
  if (counterOf === null) return null
  const headers = Object.entries(reply.getHeaders()).filter(
    ([header]) => !perResponseHeaders.test(header),
  )
  const length = String(stored.body.length)
  return {
    stored,
    body: stored.body.length > MAX_TEXT_BYTES ? stored.body : stored.body.toString('latin1'),
    sentEtag: String(reply.getHeader('etag')),
    counterOf,
    okHeaders: flatten([
      ...headers,
      ...Object.entries(stored.bodyHeaders),
      ['content-length', length],
    ]),
    notModifiedHeaders: flatten(headers.filter(([header]) => notModifiedHeaderNames.has(header))),
  }
}

/** Headers that differ between responses. */
const perResponseHeaders = /^(?:x-ratelimit-|x-request-id$|connection$)/

/**
 * Headers of a 304 response (RFC 9110, 15.4.5) and of CORS. The client has the others from its 200
 * response.
 */
const notModifiedHeaderNames = new Set([
  'cache-control',
  'content-location',
  'etag',
  'expires',
  'vary',
  'access-control-allow-origin',
])

const flatten = (headers: readonly (readonly [string, unknown])[]): string[] =>
  headers.flatMap(([header, value]) => [header, String(value)])
