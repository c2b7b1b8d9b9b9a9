/** Fastify instance of every service: its limits, headers and errors, set only in this file. */
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
  createRouteRefusal,
  errorHandler,
  methodNotAllowed,
  REQUEST_ID_HEADER,
  requestIdOf,
  sendError,
  validateRawHeaders,
} from './error-handler.ts'
import { closeGracefully } from './graceful-close.ts'
import type { Logger } from './logger.ts'
import { shadowedMethods } from './shadowed-methods.ts'

const REQUEST_TIMEOUT_MS = 30_000
const HEADERS_TIMEOUT_MS = 15_000
/**
 * Interval at which Node checks for slow headers: its default of 30 s would triple the timeout, and
 * each check wakes an idle process.
 */
const TIMEOUT_CHECK_MS = 5_000
const KEEP_ALIVE_TIMEOUT_MS = 75_000
const MAX_HEADER_BYTES = 16 * 1024
const MAX_PARAM_LENGTH = 512
const MAX_CONNECTIONS = 10_000

const TOO_LARGE = 413
/** Maximum rest of a rejected body that is read; the connection of a larger one is closed. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
  }
  interface FastifyInstance {
    /** Aborted when the server begins to close; ends responses that would not end by themselves. */
    closing: AbortSignal
  }
  interface FastifyRequest {
    /** Operation of the route; Fastify creates `routeOptions` at every access. */
    operation: Operation | undefined
  }
}

export interface HttpOptions {
  logger: Logger
  /** Operations whose paths respond with 405 instead of 404. */
  known: readonly Operation[]
  /** Options merged over the defaults here; those of `http` are merged one by one. */
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
  rejectUnknownRoutes(fastify, known)
  fastify.decorateRequest('operation')
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders).header(REQUEST_ID_HEADER, request.id)
    const { operation } = request.routeOptions.config
    request.operation = operation
    if (operation?.deprecated !== undefined) reply.headers(deprecationHeaders(operation))
    validateRawHeaders(request.raw)
    done()
  })
  trackResponses(fastify)
  keepConnectionAfter413(fastify)
  endConnectionsOnClose(fastify)
  closeGracefully(fastify)
  return fastify
}

/**
 * Rejects unknown routes before a body is parsed: the content type must not hide that the method is
 * unknown. The hook runs after all of `onRequest`, so the rejection counts for rate limits.
 */
const rejectUnknownRoutes = (fastify: FastifyInstance, known: readonly Operation[]) => {
  const refusalOf = createRouteRefusal(known)
  fastify.setNotFoundHandler((request, reply) => sendError(reply, refusalOf(request)))
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    done(request.is404 ? refusalOf(request) : null, payload)
  })
  for (const { path, method, allowed } of shadowedMethods(known)) {
    fastify.route({
      method,
      url: path.replaceAll(/\{([^}]+)\}/g, ':$1'),
      onRequest: async () => {
        throw methodNotAllowed(allowed)
      },
      handler: () => {},
    })
  }
}

/**
 * Leaves the connection open after a 413. Fastify closes it, and a client that is still sending
 * would get a reset instead of the response; Node discards the rest within the request timeout.
 */
const keepConnectionAfter413 = (fastify: FastifyInstance) => {
  fastify.addHook('onSend', ({ headers }, reply, payload, done) => {
    const isTooLarge = reply.statusCode === TOO_LARGE
    if (isTooLarge && Number(headers['content-length']) <= MAX_UNREAD_BYTES) {
      reply.removeHeader('connection')
    }
    done(null, payload)
  })
}

/** Closes connections that were busy when the server closed; idle ones would delay its end. */
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
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    // Node ends the stream of a request without a body at once, which saves its events.
    optimizeEmptyRequests: true,
  },
  forceCloseConnections: 'idle',
  return503OnClosing: false,
  disableRequestLogging: true,
  // No logger per request, since few requests log: `call.log` and errors add the request's id.
  childLoggerFactory: (logger) => logger,
  requestIdHeader: false,
  genReqId: ({ headers }) => requestIdOf(headers),
  routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
  // Schemas of replies use the contract's own formats; replies are serialised without validation.
  // The optimization of generated code takes half of the compilation.
  serializerOpts: { ajv: { logger: false, code: { optimize: false } } },
  clientErrorHandler: respondToClientError,
  frameworkErrors: (error, _request, reply) => {
    sendError(reply.headers(commonHeaders), error)
  },
}
