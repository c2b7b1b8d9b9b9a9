/**
 * The end of a port: it goes on accepting for a moment, so that whoever comes gets an answer, one that
 * closes the connection, and a load balancer that sees `/readyz` fail sends nobody into a closed port.
 */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** Nobody is left, and nobody has come for so long. */
const QUIET_MS = 250
/** Some never cease to come, or stay. */
const MAX_LINGER_MS = 2_000
const LOOK_EVERY_MS = 25
/** Whoever waits for an answer before they come again has come within so long. */
const HOLD_QUIET_MS = 50
const MAX_HOLD_MS = 200
const MAX_WAIT_FOR_GAP_MS = 100

export const closeGracefully = (fastify: FastifyInstance): void => {
  const { server } = fastify
  const connections = watchConnections(server)
  let held: Promise<void> | null = null

  fastify.addHook('onRequest', (_request, _reply, done) => {
    if (held === null) done()
    else held.then(() => done(), done)
  })

  /** Closing a port resets who waits to be accepted: nobody is answered who would then come again. */
  const closeBetweenTwo = async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    const untilMs = performance.now() + MAX_HOLD_MS
    while (performance.now() < untilMs && connections.quietMs() < HOLD_QUIET_MS) await delay(1)
    await connections.untilNobodyWaits()
    server.close()
    resolve()
  }

  fastify.addHook('preClose', async () => {
    if (!server.listening) return
    const beganMs = performance.now()
    const isQuiet = async () =>
      Math.min(connections.quietMs(), performance.now() - beganMs) >= QUIET_MS &&
      (await connectionsOf(server)) === 0
    while (performance.now() - beganMs < MAX_LINGER_MS && !(await isQuiet())) {
      await delay(LOOK_EVERY_MS)
    }
    await closeBetweenTwo()
  })
}

const watchConnections = (server: FastifyInstance['server']) => {
  let accepted = 0
  let lastMs = Number.NEGATIVE_INFINITY
  server.on('connection', () => {
    accepted++
    lastMs = performance.now()
  })
  return {
    /** Since somebody last came. */
    quietMs: () => performance.now() - lastMs,
    /** Node accepts one a turn of its loop: in a turn without one nobody waits. */
    async untilNobodyWaits() {
      const untilMs = performance.now() + MAX_WAIT_FOR_GAP_MS
      let before: number
      do {
        before = accepted
        await nextTurn()
      } while (accepted > before && performance.now() < untilMs)
    },
  }
}

const connectionsOf = (server: FastifyInstance['server']): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  )
