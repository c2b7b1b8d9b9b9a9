/**
 * The short way for what is asked most: an answer for everybody that is kept and still true is said again,
 * byte for byte and header for header as it was said in full. It is limited and counted as every other;
 * whatever is not exactly so goes the long way. A third of the processor time of that.
 */
import type { IncomingMessage } from 'node:http'
import type { Operation } from '@status-page/contracts'
import { REQUEST_ID_HEADER } from '@status-page/service'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { judgeMessage } from '../edge/protocol.ts'
import { soleCounter } from '../limits/buckets.ts'
import { type Limiter, networkOf, rateHeaders } from '../limits/limiter.ts'
import type { PageAnswers } from './answers.ts'
import { etagsMatch, type KeptAnswer } from './kept.ts'
import { pageDomainOf } from './routing.ts'

/** Ways to ask for what is kept: each holds some headers, and its bytes when these are kept no longer. */
const MAX_WAYS = 2_000
const MAX_WAY_BYTES = 64 * 1024 * 1024
const MAX_WAY_LENGTH = 2_048

/** What was said in full. */
export interface Said {
  key: string
  kept: KeptAnswer
  /** As they were sent, packed or not. */
  body: Buffer
  tag: string
  operation: Operation
  /** Those that a whole answer has beside the others. */
  ofWhole: Readonly<Record<string, string>>
}

export interface ShortWay {
  /** To be said again to who asks alike. */
  remember(request: FastifyRequest, reply: FastifyReply, said: Said): void
}

interface ShortWayOptions {
  answers: Pick<PageAnswers, 'current'>
  limiter: Limiter
}

interface Way {
  said: Said
  counterOf: (address: string) => ReturnType<NonNullable<ReturnType<typeof soleCounter>>>
  /** Names and values in turns, as `writeHead` takes them. */
  whole: readonly string[]
  notModified: readonly string[]
}

/** Its hook comes before those of whoever registers after it. */
export const registerShortWay = (fastify: FastifyInstance, options: ShortWayOptions): ShortWay => {
  const { answers, limiter } = options
  const ways = new Ways()

  const wayOf = (request: FastifyRequest): Way | null => {
    if (request.raw.method !== 'GET' || fastify.closing.aborted) return null
    const way = ways.get(nameOf(request.raw))
    if (way === undefined || judgeMessage(request.raw) !== undefined) return null
    const { key, kept } = way.said
    const current = answers.current(key)
    return current?.body === kept.body && current.headers === kept.headers ? way : null
  }

  fastify.addHook('onRequest', (request, reply, done) => {
    const way = wayOf(request)
    if (way === null) return done()
    const reading = limiter.chargeAtOnce(way.counterOf(networkOfSocket(request)))
    // The long way says so in words.
    if (reading.isExceeded) return done()
    reply.hijack()
    const own = [...rateHeaders(reading), REQUEST_ID_HEADER, request.id]
    const { said, whole, notModified } = way
    if (etagsMatch(said.tag, request.raw.headers['if-none-match'])) {
      reply.raw.writeHead(304, [...notModified, ...own]).end()
    } else {
      reply.raw.writeHead(200, [...whole, ...own]).end(said.body)
    }
  })

  return {
    remember(request, reply, said) {
      const name = nameOf(request.raw)
      const counterOf = soleCounter(said.operation)
      const isPlain = request.method === 'GET' && !reply.hasHeader('set-cookie')
      if (counterOf === null || !isPlain || name.length > MAX_WAY_LENGTH) return
      const headers = Object.entries(reply.getHeaders()).filter(([header]) => !own.test(header))
      const length = ['content-length', String(said.body.length)]
      const whole = [...inTurns(headers), ...Object.entries(said.ofWhole).flat(), ...length]
      const notModified = inTurns(headers.filter(([header]) => ofNotModified.has(header)))
      ways.set(name, { said, counterOf, whole, notModified })
    },
  }
}

/** By all that an answer depends on, the oldest forgotten first. */
class Ways {
  readonly #ways = new Map<string, Way>()
  #bytes = 0

  get(name: string): Way | undefined {
    return this.#ways.get(name)
  }

  set(name: string, way: Way) {
    this.#delete(name)
    this.#ways.set(name, way)
    this.#bytes += bytesOf(way)
    for (const oldest of this.#ways.keys()) {
      if (this.#ways.size <= MAX_WAYS && this.#bytes <= MAX_WAY_BYTES) break
      this.#delete(oldest)
    }
  }

  #delete(name: string) {
    const way = this.#ways.get(name)
    if (way === undefined) return
    this.#ways.delete(name)
    this.#bytes -= bytesOf(way)
  }
}

const bytesOf = ({ said: { kept, body } }: Way): number =>
  kept.body.length + (body === kept.body ? 0 : body.length)

/** Headers that differ from one answer to the next. */
const own = /^(?:x-ratelimit-|x-request-id$|connection$)/

/** RFC 9110, 15.4.5, and who may read it. Of the rest, whoever asks holds what was said with the whole. */
const ofNotModified = new Set([
  ...['cache-control', 'content-location', 'etag', 'expires', 'vary'],
  'access-control-allow-origin',
])

const inTurns = (headers: readonly (readonly [string, unknown])[]): string[] =>
  headers.flatMap(([header, value]) => [header, String(value)])

/** Of neither a URL nor a header. */
const SEPARATOR = '\n'

/** All of a request on which a kept answer depends, and its headers. */
const nameOf = (message: IncomingMessage): string => {
  const { url = '', headers } = message
  const domain = pageDomainOf(message) ?? ''
  const accept = headers.accept ?? ''
  return (
    url + SEPARATOR + domain + SEPARATOR + accept + SEPARATOR + (headers['accept-encoding'] ?? '')
  )
}

const networks = new WeakMap<IncomingMessage['socket'], string>()

/** Behind a proxy each request of a connection is another client's. */
const networkOfSocket = (request: FastifyRequest): string => {
  if (request.raw.headers['x-forwarded-for'] !== undefined) return networkOf(request.ip)
  const { socket } = request.raw
  const known = networks.get(socket)
  if (known !== undefined) return known
  const network = networkOf(request.ip)
  networks.set(socket, network)
  return network
}
