/** The server that faces the world: what it takes beyond every service, and meets before the door. */
import type { IncomingMessage } from 'node:http'
import type { FastifyHttpOptions, FastifyInstance, RawServerDefault } from 'fastify'
import { registerLoadShedding } from './load-shedding.ts'
import { allowOnlyReading, toRoutableUrl, validateMessage } from './protocol.ts'

/** Above what an idle connection may take: cuts off who asks and then does not read the answer. */
const SOCKET_TIMEOUT_MS = 90_000

const DOCS_PREFIX = '/api/docs'

/** Where a request for a host and a path really leads. */
export type RewriteUrl = (request: IncomingMessage) => string

export const edgeServerOptions = (
  trustProxy: string[],
  rewrite: RewriteUrl,
): FastifyHttpOptions<RawServerDefault> => ({
  trustProxy,
  rewriteUrl: (request) => toRoutableUrl({ url: rewrite(request as IncomingMessage) }),
  connectionTimeout: SOCKET_TIMEOUT_MS,
  http: {
    // Node's own refusal would not be the contract's error; `judgeMessage` refuses.
    requireHostHeader: false,
  },
})

export const registerEdge = (fastify: FastifyInstance): void => {
  fastify.addHook('onRequest', (request, _reply, done) => done(validateMessage(request.raw)))
  // An unknown expectation may be ignored; Node's own refusal carries none of our headers.
  fastify.server.on('checkExpectation', (request, response) => {
    fastify.server.emit('request', request, response)
  })
  allowOnlyReading(fastify, DOCS_PREFIX)
  registerLoadShedding(fastify)
}
