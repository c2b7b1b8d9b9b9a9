/**
 * HTTP server of operations: authenticates, authorizes, decodes, validates, responds. Tests run the
 * same app as production: every option of the server is set below this file.
 */
import {
  callingServicesOf,
  DEFAULT_BODY_LIMIT,
  fullPath,
  notFound,
  type Operation,
  type ServiceName,
  unauthorized,
  unavailable,
} from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import { equalInConstantTime } from '@status-page/secrets'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { authorizeCall } from './authorize-call.ts'
import { installBodyParser, removeUnusedContentType } from './body.ts'
import type { Caller, Route } from './call.ts'
import { CALLER_HEADER, type CallerVerifier } from './caller.ts'
import { refusalReasonOf } from './error-handler.ts'
import { createHealth, type Health } from './health.ts'
import { createHttp, type HttpOptions } from './http.ts'
import { createLogger, type Logger } from './logger.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { installMultipart, isMultipart } from './multipart.ts'
import { createResponder, directOrigin, relayedOrigin } from './respond.ts'
import { traceRequests } from './trace-requests.ts'

/** Delay after which a client repeats a request that arrived during the start. */
const START_RETRY_SECONDS = 2

export interface ServeOptions {
  service: ServiceName
  routes: readonly Route[]
  database: Database
  verifier: CallerVerifier
  logger?: Logger
  metrics?: Metrics
  health?: Health
  /** Bearer token of `/metrics`; null or absent: none is required on an internal port. */
  metricsToken?: string | null
  /** `public` for the port that clients reach: without a token, `/metrics` is unknown there. */
  exposure?: 'internal' | 'public'
  /** Replaces the caller token: the gateway authenticates clients by their credentials. */
  identify?: (request: FastifyRequest, operation: Operation) => Promise<Caller>
  /** Whether the operation is served while the process still starts; by default none is. */
  isServedAtStart?: (operation: Operation) => boolean
  /** Operations of other services that this process forwards: known paths for a 405. */
  forwarded?: readonly Operation[]
  /** Fastify options, merged over those of the server. */
  fastify?: HttpOptions['fastify']
  /** Registers additional hooks and routes before the operations. */
  extra?: (fastify: FastifyInstance) => void | Promise<void>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Caller of the operation; null before authorization. */
    caller: Caller | null
  }
}

export const serve = (options: ServeOptions): FastifyInstance => {
  const { service, routes, extra, metrics = createMetrics() } = options
  const logger = options.logger ?? createLogger({ service, level: 'silent' })
  const operations = [...routes.map(({ operation }) => operation), ...(options.forwarded ?? [])]
  const fastify = createHttp({
    logger,
    known: operations,
    ...(options.fastify === undefined ? {} : { fastify: options.fastify }),
  })
  fastify.decorateRequest('caller', null)
  fastify.addHook('onResponse', (request, reply, done) => {
    const operation = request.operation?.id ?? 'none'
    metrics.observe({ operation, status: reply.statusCode, seconds: reply.elapsedTime / 1000 })
    done()
  })
  fastify.addHook('onError', (request, _reply, error, done) => {
    const reason = refusalReasonOf(request, error)
    const operation = request.operation?.id ?? 'none'
    if (reason !== null) metrics.countRefusal({ operation, reason })
    done()
  })
  traceRequests(fastify, { exposure: options.exposure ?? 'internal' })
  if (options.health !== undefined) refuseAtStart(fastify, options.health, options.isServedAtStart)
  if (extra !== undefined) fastify.register(onRoot(extra))
  fastify.register(async (context) => {
    installBodyParser(context)
    const resources = { ...options, metrics, logger }
    for (const route of routes.filter((route) => !isMultipart(route.operation))) {
      mount(context, route, resources)
    }
  })
  const forms = routes.filter((route) => isMultipart(route.operation))
  if (forms.length > 0) {
    fastify.register(async (context) => {
      installBodyParser(context)
      installMultipart(context)
      for (const route of forms) mount(context, route, { ...options, metrics, logger })
    })
  }
  fastify.register(async (context) => {
    mountSystem(context, { ...options, metrics })
  })
  return fastify
}

/** Refuses operations until the start is complete: the database may lack its tables. */
const refuseAtStart = (
  fastify: FastifyInstance,
  health: Health,
  isServed: NonNullable<ServeOptions['isServedAtStart']> = () => false,
): void => {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { operation } = request
    const isRefused = health.isStarting() && operation !== undefined && !isServed(operation)
    done(isRefused ? unavailable('The service is starting', START_RETRY_SECONDS) : undefined)
  })
}

type Resources = ServeOptions & { metrics: Metrics; logger: Logger }

/** Plugin without encapsulation: its hooks apply to everything registered after it. */
const onRoot = (extra: NonNullable<ServeOptions['extra']>) =>
  Object.assign(async (fastify: FastifyInstance) => extra(fastify), {
    [Symbol.for('skip-override')]: true,
  })

const mount = (fastify: FastifyInstance, route: Route, resources: Resources) => {
  const { operation } = route
  const identify = resources.identify ?? identifyByToken(resources.verifier)
  fastify.route({
    method: operation.method,
    url: fullPath(operation).replaceAll(/\{([^}]+)\}/g, ':$1'),
    bodyLimit: operation.bodyLimit ?? DEFAULT_BODY_LIMIT,
    config: { operation },
    onRequest: async (request) => {
      removeUnusedContentType(request, operation)
      request.caller = await identify(request, operation)
      authorizeCall(operation, request.caller)
    },
    handler: createResponder(route, {
      database: resources.database,
      originOf: resources.identify === undefined ? relayedOrigin : directOrigin,
    }),
  })
}

/**
 * Authenticates by the caller token. Public operations have a token of an anonymous caller: no
 * service accepts a bare request.
 */
const identifyByToken =
  (verifier: CallerVerifier) =>
  async ({ headers }: FastifyRequest, operation: Operation): Promise<Caller> => {
    const token = headers[CALLER_HEADER]
    const verified = typeof token === 'string' ? verifier.verify(token) : null
    if (verified === null || !callingServicesOf(operation).includes(verified.issuer))
      throw unauthorized()
    return verified.caller
  }

const mountSystem = (fastify: FastifyInstance, options: ServeOptions & { metrics: Metrics }) => {
  const { metrics, metricsToken, exposure = 'internal' } = options
  const health = options.health ?? healthOf(options.database)
  fastify.get('/health', async () => ({ status: 'ok' }))
  fastify.get('/readyz', async (_request, reply) => {
    const { ready, checks } = await health.readiness()
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'unavailable', checks })
  })
  fastify.get('/metrics', async ({ headers }, reply) => {
    const given = headers.authorization ?? ''
    if (!metricsToken && exposure === 'public') throw notFound()
    if (metricsToken && !equalInConstantTime(given, `Bearer ${metricsToken}`)) throw unauthorized()
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
}

/** Health of a server without a process (in tests), which checks only the database. */
const healthOf = (database: Database): Health => {
  const health = createHealth()
  health.watch({ database })
  return health
}
