/**
 * Closes the connections to a server that does not respond: one that hangs, or was cut off while a
 * statement was in flight. Without it, such a statement would wait until the network gives up, up to
 * 15 minutes, and a server that replaced this one would not be used.
 *
 * A statement may run for long. Its connection is closed only when a new connection to the same
 * address gets no response either.
 */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { withTimeout } from '@status-page/concurrency'

export interface SilenceTimes {
  /** Interval of the checks; a connection is silent after two of them without a byte. */
  checkMs: number
  /** Maximum time for the first byte of a new connection. */
  probeMs: number
}

const DEFAULT_TIMES: SilenceTimes = { checkMs: 2_000, probeMs: 4_000 }
const SILENT_CHECKS = 2
/** Time for the response to a request that this process sent only after it had been suspended. */
const GRACE_MS = 50
/** SSLRequest of the protocol: every server answers it with one byte, before authentication. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

export interface WatchedConnection {
  socket: Socket
  /** Text form of the server's address. */
  address: string
  /** Whether a statement waits for its response. */
  isAwaiting(): boolean
  /** Opens another socket to the same address. */
  reopen(): Socket
}

interface Watched extends WatchedConnection {
  bytesRead: number
  silentChecks: number
}

export interface SilenceWatchOptions {
  logger?: { warn(details: object, message: string): void } | undefined
  times?: SilenceTimes | undefined
}

export class SilenceWatch {
  readonly #watched = new Set<Watched>()
  readonly #probing = new Set<string>()
  readonly #logger: SilenceWatchOptions['logger']
  readonly #times: SilenceTimes
  #timer: NodeJS.Timeout | null = null

  constructor({ logger, times = DEFAULT_TIMES }: SilenceWatchOptions) {
    this.#logger = logger
    this.#times = times
  }

  add(connection: WatchedConnection): void {
    const watched = { ...connection, bytesRead: 0, silentChecks: 0 }
    this.#watched.add(watched)
    this.#timer ??= setInterval(() => this.#check(), this.#times.checkMs).unref()
    connection.socket.once('close', () => this.#remove(watched))
  }

  #remove(watched: Watched): void {
    this.#watched.delete(watched)
    if (this.#watched.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  #check(): void {
    for (const watched of this.#watched) {
      const { bytesRead } = watched.socket
      const isSilent = watched.isAwaiting() && bytesRead === watched.bytesRead
      watched.bytesRead = bytesRead
      watched.silentChecks = isSilent ? watched.silentChecks + 1 : 0
      if (watched.silentChecks >= SILENT_CHECKS) void this.#probe(watched)
    }
  }

  async #probe({ address, reopen }: Watched): Promise<void> {
    if (this.#probing.has(address)) return
    this.#probing.add(address)
    const responds = await isResponding(reopen(), this.#times.probeMs)
    this.#probing.delete(address)
    const connections = [...this.#watched].filter((watched) => watched.address === address)
    for (const watched of connections) watched.silentChecks = 0
    if (responds) return
    this.#logger?.warn(
      { address, connections: connections.length },
      'database does not respond, closing the connections to it',
    )
    // Those without a statement would let the next one wait.
    for (const { socket } of connections) socket.destroy()
  }
}

/** Whether the server sends a byte. */
const isResponding = async (socket: Socket, timeoutMs: number): Promise<boolean> => {
  const responded = once(socket, 'data').then(
    () => true,
    () => false,
  )
  const closed = once(socket, 'close').then(
    () => false,
    () => false,
  )
  socket.write(SSL_REQUEST)
  const outcome = Promise.race([responded, closed])
  try {
    return await withTimeout(outcome, timeoutMs, () => withTimeout(outcome, GRACE_MS, () => false))
  } finally {
    socket.destroy()
  }
}
