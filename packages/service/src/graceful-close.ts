/**
 * Graceful close: the port accepts for a moment after the stop, so that late connections get a
 * response with `Connection: close`, and a load balancer that polls `/readyz` sends no request to a
 * closed port.
 */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** Time without an open or a new connection after which the port closes. */
const QUIET_MS = 250
/** Maximum time that the port stays open. */
const MAX_LINGER_MS = 2_000
const POLL_MS = 25
/**
 * Time without a new connection after which the last requests are answered; longer than a client
 * waits between two requests.
 */
const HOLD_QUIET_MS = 50
const MAX_HOLD_MS = 200
const MAX_WAIT_FOR_GAP_MS = 100

export const closeGracefully = (fastify: FastifyInstance): void => {
  const { server } = fastify
  const connections = watchConnections(server)
  let hold: Promise<void> | null = null

  fastify.addHook('onRequest', (_request, _reply, done) => {
    if (hold === null) done()
    else hold.then(() => done(), done)
  })

  /**
   * Closes the port while no connection waits to be accepted, since closing resets such
   * connections. Requests are held, so that their clients do not reconnect before. Without this
   * wait, three of five runs of `run.test.ts` had resets under constant load.
   */
  const closeWhenAcceptQueueIsEmpty = async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    hold = promise
    const untilMs = performance.now() + MAX_HOLD_MS
    while (performance.now() < untilMs && connections.quietMs() < HOLD_QUIET_MS) await delay(1)
    await connections.untilAcceptQueueIsEmpty()
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
      await delay(POLL_MS)
    }
    await closeWhenAcceptQueueIsEmpty()
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
    /** Time since the last new connection. */
    quietMs: () => performance.now() - lastMs,
    /**
     * Waits until the accept queue is empty. Node accepts one connection per event loop iteration,
     * so an iteration without one means an empty queue.
     */
    async untilAcceptQueueIsEmpty() {
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
