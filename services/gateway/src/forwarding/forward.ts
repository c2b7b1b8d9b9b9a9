/** Forwarding: an operation of another service, asked in the caller's name over a kept connection. */
import {
  AppError,
  DEFAULT_BODY_LIMIT,
  fullPath,
  type Operation,
  PAGE_DOMAIN_HEADER,
  pageLiveOperations,
  type ServiceName,
  unavailable,
} from '@status-page/contracts'
import {
  ADDRESS_HEADER,
  AGENT_HEADER,
  CALLER_HEADER,
  type CallerSigner,
  guard,
  REQUEST_ID_HEADER,
} from '@status-page/service'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Dispatcher, Pool } from 'undici'
import { pageDomainOf } from '../custom-domains/request-rewrite.ts'
import { isPageReading } from '../edge/load-shedding.ts'
import { networkOf } from '../limits/limiter.ts'
import { keyOf } from '../page-cache/cache-key.ts'
import type { ShortWay } from '../page-cache/fast-path.ts'
import type { PageRequest } from '../page-cache/page-cache.ts'
import { encodeBody, sendKept, sendStream } from '../page-cache/reply.ts'
import type { Pages } from '../pages/pages.ts'
import { codeOf, down, faultOf, full, RETRY_AFTER_SECONDS } from './faults.ts'
import { headersToForward, headersToReturn, pathToForward } from './message.ts'
import { ask, discardBody, type UpstreamResponse } from './upstream-request.ts'

const ANSWER_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 2_000
/** Below what the services keep, so that a request never meets a connection that is being closed. */
const KEEP_ALIVE_MS = 60_000
const MAX_CONNECTIONS = 128
/** Of one service; when it hangs, the requests for the others still find their places. */
const MAX_UNDER_WAY = 512
const MAX_AGENT_LENGTH = 512

export interface ForwardingOptions {
  operations: readonly Operation[]
  origins: Readonly<Partial<Record<ServiceName, string | undefined>>>
  signer: CallerSigner
  /** Keeps what is for everybody and tells of its changes; without it every request is passed on. */
  pages?: KeptPages
  /** Tests do not wait half a minute. */
  answerTimeoutMs?: number
}

type KeptPages = Pick<Pages, 'answers' | 'live'> & { shortWay: ShortWay }

/** Routes of its own context: bodies are counted, and passed on as they came. */
export const registerForwarding = (fastify: FastifyInstance, options: ForwardingOptions): void => {
  const lanes = new Map<string, Lane>()
  fastify.register(async (own) => {
    own.removeAllContentTypeParsers()
    own.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    own.addHook('onClose', async () => {
      await Promise.all([...lanes.values()].map(({ pool }) => pool.close()))
    })
    for (const operation of options.operations) {
      const origin = options.origins[operation.service]
      const lane = origin === undefined ? null : laneOf(lanes, origin, options.answerTimeoutMs)
      mount(own, operation, { lane, signer: options.signer, pages: options.pages ?? null })
    }
  })
}

/** The way to one service. */
interface Lane {
  pool: Pool
  underWay: number
}

const laneOf = (
  lanes: Map<string, Lane>,
  url: string,
  answerTimeoutMs = ANSWER_TIMEOUT_MS,
): Lane => {
  const { origin } = new URL(url)
  const known = lanes.get(origin)
  if (known !== undefined) return known
  const pool = new Pool(origin, {
    connections: MAX_CONNECTIONS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
  })
  const lane = { pool, underWay: 0 }
  lanes.set(origin, lane)
  return lane
}

interface Onward {
  /** Null where no origin is configured. */
  lane: Lane | null
  signer: CallerSigner
  pages: KeptPages | null
}

const mount = (fastify: FastifyInstance, operation: Operation, onward: Onward) => {
  const pass = createForward(operation, onward)
  const { pages } = onward
  if (pages === null || !isPageReading(operation)) {
    return route(fastify, operation, teller(operation, pages, pass))
  }
  const question = questioner(operation, pass)
  route(fastify, operation, readerOf(operation, pages, question))
  const livePath = `${operation.path}/live`
  const live = Object.values(pageLiveOperations).find(({ path }) => path === livePath)
  if (live !== undefined) route(fastify, live, followerOf(live, pages, question))
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

const route = (fastify: FastifyInstance, operation: Operation, handler: Handler) => {
  fastify.route({
    method: operation.method,
    url: fullPath(operation).replaceAll(/\{([^}]+)\}/g, ':$1'),
    bodyLimit: operation.bodyLimit ?? DEFAULT_BODY_LIMIT,
    config: { operation },
    // Else one is made for each request; errors name their request by themselves.
    ...(isPageReading(operation) ? { childLoggerFactory: (logger) => logger } : {}),
    onRequest: (request, _reply, done) => {
      guard(operation, request.identified.caller)
      done()
    },
    handler,
  })
}

/** Asks the service in the name of the request; `etag` replaces the tag that the request holds. */
type Pass = (
  request: FastifyRequest,
  kept?: { etag: string | undefined },
) => Promise<UpstreamResponse>

const createForward = (operation: Operation, { lane, signer }: Onward): Pass => {
  const { service, method } = operation
  const headersOnward = headersToForward(operation)
  const pathOnward = pathToForward(operation)
  return async (request, kept) => {
    if (lane === null) throw down(service)
    if (lane.underWay >= MAX_UNDER_WAY) throw full(service)
    const headers = headersOnward(request.headers)
    if (kept !== undefined) holdTag(headers, kept.etag)
    addOrigin(headers, request)
    headers[CALLER_HEADER] = signer.sign(request.identified.caller, service)
    lane.underWay++
    try {
      return await answerOf(lane.pool, operation, {
        method,
        path: pathOnward(request.params as Record<string, string>, request.url),
        headers,
        body: (request.body as Buffer | undefined) ?? null,
      })
    } finally {
      lane.underWay--
    }
  }
}

const holdTag = (headers: Record<string, string>, etag: string | undefined): void => {
  delete headers['if-none-match']
  if (etag !== undefined) headers['if-none-match'] = etag
}

type Questioner = (request: FastifyRequest) => PageRequest

const questioner = (operation: Operation, pass: Pass): Questioner => {
  const pathOnward = pathToForward(operation)
  return (request) => {
    const params = request.params as Record<string, string>
    const key = keyOf(operation, {
      path: pathOnward(params, request.url),
      accept: request.headers.accept,
      domain: pageDomainOf(request.raw),
    })
    return { key, slug: params.slug ?? '', ask: (etag) => pass(request, { etag }) }
  }
}

/** Responses in a row whose page changed its access while they were prepared. */
const MAX_REVOKED_RESPONSES = 3

/** What is not for everybody is answered to this request alone, without the tag that it may hold. */
const readerOf =
  (operation: Operation, { answers, shortWay }: KeptPages, question: Questioner): Handler =>
  async (request, reply) => {
    const asked = question(request)
    for (let attempt = 0; attempt < MAX_REVOKED_RESPONSES; attempt++) {
      const served = await answers.serve(asked)
      if (served.kind === 'own') return send(reply, served.answer, operation)
      const body = await encodeBody(request, served)
      // Access may have been revoked while the body was compressed.
      if (answers.isRevoked(served.kept)) continue
      return sendKept(request, reply, { served, body }, (said) => {
        shortWay.remember(request, reply, { ...said, key: asked.key, operation })
      })
    }
    throw unavailable('Access to the page is being changed', RETRY_AFTER_SECONDS)
  }

const NO_CONTENT = 204

/** Who is not shown the page is answered as by the page. */
const followerOf =
  (operation: Operation, { live }: KeptPages, question: Questioner): Handler =>
  async (request, reply) => {
    const { sessionHash: tokenHash, caller } = request.identified
    const { organizationId } = caller
    const session = tokenHash === null ? null : { tokenHash, organizationId }
    const opened = await live.open(question(request), { address: networkOf(request.ip), session })
    if (opened.kind === 'own') return send(reply, opened.answer, operation)
    if (opened.kind === 'nothing') return reply.code(NO_CONTENT).send()
    return sendStream(request, reply, opened.stream)
  }

const MIN_REFUSAL = 400

/** Who changes something sees it on the page at once. */
const teller =
  (operation: Operation, pages: KeptPages | null, pass: Pass): Handler =>
  async (request, reply) => {
    const answer = await pass(request)
    const { organizationId } = request.identified.caller
    if (operation.method !== 'GET' && answer.status < MIN_REFUSAL && organizationId !== null) {
      pages?.answers.changed(organizationId, operation.id.startsWith('status-pages.'))
    }
    return send(reply, answer, operation)
  }

const addOrigin = (headers: Record<string, string>, request: FastifyRequest): void => {
  headers[REQUEST_ID_HEADER] = request.id
  headers[ADDRESS_HEADER] = request.ip
  const agent = request.headers['user-agent']?.slice(0, MAX_AGENT_LENGTH)
  if (agent) headers[AGENT_HEADER] = agent
  const domain = pageDomainOf(request.raw)
  if (domain !== undefined) headers[PAGE_DOMAIN_HEADER] = domain
}

const answerOf = async (
  pool: Pool,
  { service }: Operation,
  question: Dispatcher.DispatchOptions,
): Promise<UpstreamResponse> => {
  try {
    const answer = await retryOnStaleConnection(pool, question)
    const type = String(answer.headers['content-type'] ?? '')
    if (answer.status < 500 || type.startsWith('application/json')) return answer
    discardBody(answer)
  } catch (error) {
    throw faultOf(error, service)
  }
  throw new AppError('UPSTREAM_ERROR', `${service} returned an invalid response`)
}

/** A kept connection may be closing at its far end: a question without effects is asked again, once. */
const retryOnStaleConnection = async (
  pool: Pool,
  question: Dispatcher.DispatchOptions,
): Promise<UpstreamResponse> => {
  try {
    return await ask(pool, question)
  } catch (error) {
    if (question.method !== 'GET' || !brokenOff.has(codeOf(error))) throw error
    return ask(pool, question)
  }
}

const brokenOff = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const send = (
  reply: FastifyReply,
  { status, headers, body }: UpstreamResponse,
  operation: Operation,
) => {
  reply.code(status).headers(headersToReturn(headers, operation))
  // What is shown to some is not for every site that these have open in their browsers.
  if (status < 400 && headers['cache-control'] === 'no-store') {
    reply.removeHeader('access-control-allow-origin')
  }
  return reply.send(body)
}
