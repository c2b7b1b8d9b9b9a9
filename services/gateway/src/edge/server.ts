/** Options and hooks of the public server, applied before authentication. */
import type { IncomingMessage } from 'node:http'
import type { FastifyHttpOptions, FastifyInstance, RawServerDefault } from 'fastify'
import type { EventLoopMonitor } from './event-loop-monitor.ts'
import { registerLoadShedding } from './load-shedding.ts'
import { allowReadMethodsOnly, toRoutableUrl, validateRequestMessage } from './protocol.ts'
import { FAVICON_PATH, registerFavicon } from './service-icon.ts'

/**
 * Above the idle timeout of a connection; closes connections of clients that do not read a
 * response.
 */
const SOCKET_TIMEOUT_MS = 90_000

const DOCS_PREFIX = '/api/docs'
const DASHBOARD_PREFIX = '/dashboard'

/** URL that serves a request, by host and path. */
export type RewriteUrl = (request: IncomingMessage) => string

export const edgeServerOptions = (
  trustProxy: string[],
  rewrite: RewriteUrl,
): FastifyHttpOptions<RawServerDefault> => ({
  trustProxy,
  rewriteUrl: (request) => toRoutableUrl({ url: rewrite(request as IncomingMessage) }),
  connectionTimeout: SOCKET_TIMEOUT_MS,
  http: {
    // Node's own response would not have the contract's error body; `validateRequestMessage`
    // rejects the request.
    requireHostHeader: false,
  },
})

export const registerEdge = (fastify: FastifyInstance, eventLoop: EventLoopMonitor): void => {
  fastify.addHook('onRequest', (request, _reply, done) => done(validateRequestMessage(request.raw)))
  // An unknown expectation may be ignored; Node's own response lacks our headers.
  fastify.server.on('checkExpectation', (request, response) => {
    fastify.server.emit('request', request, response)
  })
  allowReadMethodsOnly(fastify, DOCS_PREFIX)
  allowReadMethodsOnly(fastify, DASHBOARD_PREFIX)
  allowReadMethodsOnly(fastify, FAVICON_PATH)
  registerLoadShedding(fastify, { eventLoop })
  registerFavicon(fastify)
}
