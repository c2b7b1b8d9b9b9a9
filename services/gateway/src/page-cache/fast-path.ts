/**
 * The short way for what is asked most: an answer for everybody that is kept and still true is said again,
 * byte for byte and header for header as it was said in full. It is limited and counted as every other;
 * whatever is not exactly so goes the long way. It is taken before Fastify's request, reply and hooks
 * are made, which cost more than the answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Metrics,
  REQUEST_ID_HEADER,
  requestIdOf,
  validateRawHeaders,
} from '@status-page/service'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PageDomains } from '../custom-domains/custom-domains.ts'
import { placeOf } from '../custom-domains/request-rewrite.ts'
import type { NetworkOf } from '../edge/client-network.ts'
import { validateMessage } from '../edge/protocol.ts'
import { soleCounter } from '../limits/buckets.ts'
import { type Limiter, rateHeaders } from '../limits/limiter.ts'
import { type CacheEntry, etagsMatch } from './cache-entry.ts'
import type { PageCache } from './page-cache.ts'
import { RequestCoalescer } from './request-coalescer.ts'
import {
  type CachedResponse,
  MAX_WAY_LENGTH,
  nameOf,
  ResponseCache,
  type Said,
} from './response-cache.ts'

/** Up to so many bytes go out with their headers as one string, by one call of the system and no list. */
const MAX_TEXT_BYTES = 12 * 1024
const SECOND_MS = 1_000

export interface ShortWay {
  /** To be said again to who asks alike. */
  remember(request: FastifyRequest, reply: FastifyReply, said: Said): void
}

interface ShortWayOptions {
  answers: Pick<PageCache, 'current' | 'meanwhile'>
  domains: Pick<PageDomains, 'placeOf'>
  limiter: Limiter
  metrics: Pick<Metrics, 'observe'>
  networkOf: NetworkOf
}

/** What is injected comes by no server and goes the long way. */
export const registerCacheFastPath = (
  fastify: FastifyInstance,
  options: ShortWayOptions,
): ShortWay => {
  const { answers, domains } = options
  const ways = new ResponseCache()
  const crowds = new RequestCoalescer()
  const say = speaker(options)

  /** Whether it is seen to here. */
  const isTaken = (message: IncomingMessage, response: ServerResponse): boolean => {
    const { method, url = '', headers } = message
    if (method !== 'GET' || fastify.closing.aborted) return false
    const startMs = performance.now()
    const name = nameOf(url, domains.placeOf(headers.host), headers)
    const way = ways.get(name)
    if (way === undefined || !isSound(message)) return false
    const turn = { name, message, response, startMs }
    if (isOf(way, answers.current(way.said.key))) return say(way, turn)
    if (!crowds.isInFlight(name)) {
      response.once('close', crowds.begin(name))
      return false
    }
    if (isOf(way, answers.meanwhile(way.said.key))) return say(way, turn)
    return crowds.wait(name, () => goOn(turn))
  }

  const goOn = (turn: Turn) => {
    const { name, message, response } = turn
    if (response.destroyed) return
    const way = ways.get(name)
    const isTrue = way !== undefined && isOf(way, answers.current(way.said.key))
    if (!isTrue || fastify.closing.aborted || !say(way, turn)) fastify.routing(message, response)
  }

  fastify.server.off('request', fastify.routing)
  fastify.server.on('request', (message, response) => {
    if (!isTaken(message, response)) fastify.routing(message, response)
  })

  return {
    remember(request, reply, said) {
      const name = nameOf(request.originalUrl, placeOf(request.raw), request.headers)
      const counterOf = soleCounter(said.operation)
      const isPlain = request.method === 'GET' && !reply.hasHeader('set-cookie')
      if (counterOf === null || !isPlain || name.length > MAX_WAY_LENGTH) return
      const headers = Object.entries(reply.getHeaders()).filter(([header]) => !own.test(header))
      const length = ['content-length', String(said.body.length)]
      const whole = [...inTurns(headers), ...Object.entries(said.ofWhole).flat(), ...length]
      const notModified = inTurns(headers.filter(([header]) => ofNotModified.has(header)))
      const body = said.body.length > MAX_TEXT_BYTES ? said.body : said.body.toString('latin1')
      const sentEtag = String(reply.getHeader('etag'))
      ways.set(name, { said, body, sentEtag, counterOf, whole, notModified })
      crowds.release(name)
    },
  }
}

interface Turn {
  name: string
  message: IncomingMessage
  response: ServerResponse
  startMs: number
}

/** Says what a way knows, whole or as not modified; false where the long way has to refuse in words. */
const speaker =
  ({ limiter, metrics, networkOf }: ShortWayOptions) =>
  (way: CachedResponse, { message, response, startMs }: Turn): boolean => {
    const network = networkOf(message)
    if (network === null) return false
    const reading = limiter.chargeAtOnce(way.counterOf(network))
    if (reading.isExceeded) return false
    const own = [...rateHeaders(reading), REQUEST_ID_HEADER, requestIdOf(message.headers)]
    const held = message.headers['if-none-match']
    const isKnown = held === way.sentEtag || etagsMatch(way.said.tag, held)
    if (isKnown) response.writeHead(304, way.notModified.concat(own)).end()
    else response.writeHead(200, way.whole.concat(own)).end(way.body, 'latin1')
    metrics.observe({
      operation: way.said.operation.id,
      status: response.statusCode,
      seconds: (performance.now() - startMs) / SECOND_MS,
    })
    return true
  }

/** Unchanged, it is confirmed with the same bytes and headers. */
const isOf = ({ said: { kept } }: CachedResponse, known: CacheEntry | undefined): boolean =>
  known?.body === kept.body && known.headers === kept.headers

const isSound = (message: IncomingMessage): boolean => {
  try {
    validateRawHeaders(message)
    return validateMessage(message) === undefined
  } catch {
    return false
  }
}

/** Headers that differ from one answer to the next. */
const own = /^(?:x-ratelimit-|x-request-id$|connection$)/

/** RFC 9110, 15.4.5, and who may read it. Of the rest, whoever asks holds what was said with the whole. */
const ofNotModified = new Set([
  'cache-control',
  'content-location',
  'etag',
  'expires',
  'vary',
  'access-control-allow-origin',
])

const inTurns = (headers: readonly (readonly [string, unknown])[]): string[] =>
  headers.flatMap(([header, value]) => [header, String(value)])
