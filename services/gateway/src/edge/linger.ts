/**
 * The end of the server: it goes on accepting for a moment, so that whoever holds a connection gets an
 * answer that closes it, and a load balancer that has seen `/readyz` fail sends nobody into a closed port.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const LINGER_MS = 2_000
const LOOK_EVERY_MS = 25

export const lingerOnClose = (fastify: FastifyInstance, lingerMs: number = LINGER_MS): void => {
  fastify.addHook('preClose', async () => {
    const { server } = fastify
    const untilMs = performance.now() + lingerMs
    while (server.listening && performance.now() < untilMs && (await connectionsOf(server)) > 0) {
      await delay(LOOK_EVERY_MS)
    }
  })
}

const connectionsOf = (server: FastifyInstance['server']): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  )
