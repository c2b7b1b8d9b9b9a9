/** The server that faces the world: its time-outs, and what every request meets before the door. */
import type { FastifyHttpOptions, FastifyInstance, RawServerDefault } from 'fastify'
import { lingerOnClose } from './linger.ts'
import { registerPressure } from './pressure.ts'
import { allowOnlyReading, judgeMessage, routable } from './protocol.ts'

const MAX_HEADER_BYTES = 16 * 1024
const HEADERS_TIMEOUT_MS = 15_000
/** Node looks every 30 s by default, which would give slow headers three times their time. */
const LOOK_FOR_SLOW_MS = 1_000
/** Above what an idle connection may take: cuts off who asks and then does not read the answer. */
const SILENT_SOCKET_MS = 90_000

const DOCS_PREFIX = '/api/docs'

export const edgeServer = (trustProxy: string[]): FastifyHttpOptions<RawServerDefault> => ({
  trustProxy,
  rewriteUrl: routable,
  connectionTimeout: SILENT_SOCKET_MS,
  http: {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: LOOK_FOR_SLOW_MS,
    // Node's own refusal would not be the contract's error; `judgeMessage` refuses.
    requireHostHeader: false,
  },
})

export const registerEdge = (fastify: FastifyInstance): void => {
  fastify.addHook('onRequest', (request, _reply, done) => done(judgeMessage(request.raw)))
  // An unknown expectation may be ignored; Node's own refusal carries none of our headers.
  fastify.server.on('checkExpectation', (request, response) => {
    fastify.server.emit('request', request, response)
  })
  lingerOnClose(fastify)
  allowOnlyReading(fastify, DOCS_PREFIX)
  registerPressure(fastify)
}
