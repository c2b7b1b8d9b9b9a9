/** Forwarding: an operation of another service, asked in the caller's name over a kept connection. */
import { Readable } from 'node:stream'
import {
  AppError,
  DEFAULT_BODY_LIMIT,
  fullPath,
  type Operation,
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
import { headersToForward, headersToReturn, pathToForward } from './message.ts'

const ANSWER_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 2_000
/** Below what the services keep, so that a request never meets a connection that is being closed. */
const KEEP_ALIVE_MS = 60_000
const MAX_CONNECTIONS = 128
/** Of one service; when it hangs, the requests for the others still find their places. */
const MAX_UNDER_WAY = 512
/** Smaller answers are sent as one buffer, which costs less than a stream. */
const MAX_BUFFERED_BYTES = 1024 * 1024
const MAX_AGENT_LENGTH = 512
const RETRY_AFTER_SECONDS = 2

export interface ForwardingOptions {
  operations: readonly Operation[]
  origins: Readonly<Partial<Record<ServiceName, string | undefined>>>
  signer: CallerSigner
  /** Tests do not wait half a minute. */
  answerTimeoutMs?: number
}

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
      mount(own, operation, { lane, signer: options.signer })
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
}

const mount = (fastify: FastifyInstance, operation: Operation, { lane, signer }: Onward) => {
  fastify.route({
    method: operation.method,
    url: fullPath(operation).replaceAll(/\{([^}]+)\}/g, ':$1'),
    bodyLimit: operation.bodyLimit ?? DEFAULT_BODY_LIMIT,
    config: { operation },
    onRequest: async (request) => guard(operation, request.identified.caller),
    handler: async (request, reply) => {
      if (lane === null) throw down(operation.service)
      if (lane.underWay >= MAX_UNDER_WAY) throw full(operation.service)
      const { caller } = request.identified
      lane.underWay++
      try {
        const answer = await ask(lane.pool, operation, {
          method: operation.method,
          path: pathToForward(operation, request.params as Record<string, string>, request.url),
          headers: {
            ...headersToForward(request.headers, operation),
            ...originHeaders(request),
            [CALLER_HEADER]: signer.sign(caller, operation.service),
          },
          body: (request.body as Buffer | undefined) ?? null,
        })
        return await send(reply, answer, operation)
      } finally {
        lane.underWay--
      }
    },
  })
}

const originHeaders = (request: FastifyRequest): Record<string, string> => {
  const agent = request.headers['user-agent']?.slice(0, MAX_AGENT_LENGTH)
  return {
    [REQUEST_ID_HEADER]: request.id,
    [ADDRESS_HEADER]: request.ip,
    ...(agent ? { [AGENT_HEADER]: agent } : {}),
  }
}

const ask = async (
  pool: Pool,
  { service }: Operation,
  options: Dispatcher.RequestOptions,
): Promise<Dispatcher.ResponseData> => {
  try {
    const answer = await request(pool, options)
    const type = String(answer.headers['content-type'] ?? '')
    if (answer.statusCode < 500 || type.startsWith('application/json')) return answer
    await answer.body.dump()
    throw new AppError('UPSTREAM_ERROR', `${service} gave no usable answer`)
  } catch (error) {
    throw faultOf(error, service)
  }
}

/** A kept connection may be closing at its far end: a question without effects is asked again, once. */
const request = async (pool: Pool, options: Dispatcher.RequestOptions) => {
  try {
    return await pool.request(options)
  } catch (error) {
    if (options.method !== 'GET' || !brokenOff.has(codeOf(error))) throw error
    return pool.request(options)
  }
}

const brokenOff = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])
const tooLate = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

/** Down: nothing happened there. Late or broken off: the outcome is unknown. */
const faultOf = (error: unknown, service: ServiceName): AppError => {
  if (error instanceof AppError) return error
  const code = codeOf(error)
  const fault = neverConnected.has(code)
    ? down(service)
    : tooLate.has(code)
      ? new AppError('UPSTREAM_TIMEOUT', `${service} did not answer in time`)
      : new AppError('UPSTREAM_ERROR', `${service} gave no usable answer`)
  fault.cause = error
  return fault
}

/** Of several addresses each fails with an error of its own. */
const codeOf = (error: unknown): string => {
  const { code, errors } = (error ?? {}) as { code?: string; errors?: { code?: string }[] }
  return code ?? errors?.[0]?.code ?? ''
}

const down = (service: ServiceName) =>
  unavailable(`${service} is not available`, RETRY_AFTER_SECONDS)

const full = (service: ServiceName) =>
  unavailable(`Too many requests for ${service} are under way`, RETRY_AFTER_SECONDS)

const send = async (reply: FastifyReply, answer: Dispatcher.ResponseData, operation: Operation) => {
  const { statusCode, headers, body } = answer
  reply.code(statusCode).headers(headersToReturn(headers, operation))
  // What is shown to some is not for every site that these have open in their browsers.
  if (statusCode < 400 && headers['cache-control'] === 'no-store') {
    reply.removeHeader('access-control-allow-origin')
  }
  const length = Number(headers['content-length'] ?? Number.NaN)
  if (!(length <= MAX_BUFFERED_BYTES)) return reply.send(Readable.from(body))
  try {
    return reply.send(Buffer.from(await body.arrayBuffer()))
  } catch (error) {
    throw faultOf(error, operation.service)
  }
}
