/** The Fastify instance of every service: its limits, its headers and its errors. No other file sets them. */
import { deprecationHeaders, type Operation } from '@status-page/contracts'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  type RawServerDefault,
} from 'fastify'
import { MAX_BODY_BYTES } from './body.ts'
import { respondToClientError, trackResponses } from './client-error.ts'
import {
  commonHeaders,
  errorHandler,
  notAllowed,
  REQUEST_ID_HEADER,
  requestIdOf,
  routeRefusal,
  sendError,
  validateRawHeaders,
} from './error-handler.ts'
import { closeGracefully } from './graceful-close.ts'
import type { Logger } from './logger.ts'
import { shadowedMethods } from './shadowed-methods.ts'

const REQUEST_TIMEOUT_MS = 30_000
const HEADERS_TIMEOUT_MS = 15_000
/** Node looks every 30 s by default, which would give slow headers three times their time. */
const LOOK_FOR_SLOW_MS = 1_000
const KEEP_ALIVE_TIMEOUT_MS = 75_000
const MAX_HEADER_BYTES = 16 * 1024
const MAX_PARAM_LENGTH = 512
const MAX_CONNECTIONS = 10_000

const TOO_LARGE = 413
/** Of a body that was refused; a larger one is cut off. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the server begins to close: answers that would not end by themselves end then. */
    closing: AbortSignal
  }
}

export interface HttpOptions {
  logger: Logger
  /** What answers 405 instead of 404. */
  known: readonly Operation[]
  /** Merged over the options here, those of `http` one by one. */
  fastify?: FastifyHttpOptions<RawServerDefault>
}

export const createHttp = ({ logger, known, fastify: more = {} }: HttpOptions): FastifyInstance => {
  const fastify = Fastify({
    ...baseOptions,
    ...more,
    http: { ...baseOptions.http, ...more.http },
    loggerInstance: logger as FastifyBaseLogger,
  }) as FastifyInstance
  fastify.server.maxConnections = MAX_CONNECTIONS
  fastify.removeAllContentTypeParsers()
  fastify.setErrorHandler(errorHandler)
  refuseUnknownRoutes(fastify, known)
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders).header(REQUEST_ID_HEADER, request.id)
    const { operation } = request.routeOptions.config as { operation?: Operation }
    if (operation?.deprecated !== undefined) reply.headers(deprecationHeaders(operation))
    validateRawHeaders(request.raw)
    done()
  })
  trackResponses(fastify)
  readWhatIsTooLarge(fastify)
  endConnectionsOnClose(fastify)
  closeGracefully(fastify)
  return fastify
}

/**
 * Refuses before a body is parsed: its content type, or that of a QUERY without one, must not hide that
 * the method is unknown. The hook runs after all of `onRequest`, so the refusal counts for rate limits.
 */
const refuseUnknownRoutes = (fastify: FastifyInstance, known: readonly Operation[]) => {
  const refusalOf = routeRefusal(known)
  fastify.setNotFoundHandler((request, reply) => sendError(reply, refusalOf(request)))
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    done(request.is404 ? refusalOf(request) : null, payload)
  })
  for (const { path, method, allowed } of shadowedMethods(known)) {
    fastify.route({
      method,
      url: path.replaceAll(/\{([^}]+)\}/g, ':$1'),
      onRequest: async () => {
        throw notAllowed(allowed)
      },
      handler: () => {},
    })
  }
}

/**
 * Fastify closes the connection on a body that is too large, and a client that still sends it then gets a
 * reset instead of the answer. Kept open, Node reads the rest and drops it, within the time of a request.
 */
const readWhatIsTooLarge = (fastify: FastifyInstance) => {
  fastify.addHook('onSend', ({ headers }, reply, payload, done) => {
    const isSmall = Number(headers['content-length']) <= MAX_UNREAD_BYTES
    if (reply.statusCode === TOO_LARGE && isSmall) reply.removeHeader('connection')
    done(null, payload)
  })
}

/** A connection that was busy when the server closed would else stay open, idle, and hold up its end. */
const endConnectionsOnClose = (fastify: FastifyInstance) => {
  const closing = new AbortController()
  fastify.decorate('closing', closing.signal)
  fastify.addHook('preClose', async () => closing.abort())
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (closing.signal.aborted) reply.header('connection', 'close')
    done(null, payload)
  })
}

const baseOptions: FastifyHttpOptions<RawServerDefault> = {
  bodyLimit: MAX_BODY_BYTES,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  http: {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: LOOK_FOR_SLOW_MS,
  },
  forceCloseConnections: 'idle',
  return503OnClosing: false,
  disableRequestLogging: true,
  requestIdHeader: false,
  genReqId: ({ headers }) => requestIdOf(headers),
  routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
  // Schemas of replies hold the contract's own formats; replies are built, not judged.
  serializerOpts: { ajv: { logger: false } },
  clientErrorHandler: respondToClientError,
  frameworkErrors: (error, _request, reply) => {
    sendError(reply.headers(commonHeaders), error)
  },
}
