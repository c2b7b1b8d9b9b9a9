/**
 * One connection to a TCP or TLS server: opens it, optionally sends a text and receives a limited
 * reply, and closes it. Never throws for a fault of the remote host.
 */
import type net from 'node:net'
import { startTimeout, withTimeout } from '@status-page/concurrency'
import {
  type AbortTrigger,
  certificateOf,
  connectSocket,
  type ServerCertificate,
} from './connect.ts'
import { certificateFaultOf, OutboundFailure, outboundErrorOf } from './failure.ts'
import { emptyTimings, type OutboundContext } from './http-transport.ts'
import { acceptsText } from './ports.ts'
import { type OutboundFault, type OutboundTimings, roundedTimings } from './request.ts'
import { checkUrl, hostOf, portOf } from './target.ts'

export interface ConnectRequest {
  /** `tcp://host:port` or `tls://host:port`. */
  url: string
  /** Text to send after the connection; null for none. */
  send: string | null
  /** Limit of the received bytes; 0 closes the connection without reading. */
  maxBytes: number
  /** Deadline of everything, from DNS to the last byte. */
  timeoutMs: number
}

export interface ConnectSuccess extends ServerCertificate {
  ok: true
  /** First bytes that the server sent. */
  received: Buffer
  /** Duration until the connection, or until the last received byte, in ms. */
  durationMs: number
  timings: OutboundTimings
}

export type ConnectResult = ConnectSuccess | OutboundFault

const schemes = ['tcp', 'tls']

/** Time without a further byte after which a reply is complete; protocols end it differently. */
const QUIET_MS = 100

export const checkConnection = async (
  request: ConnectRequest,
  context: OutboundContext,
): Promise<ConnectResult> => {
  const timings: OutboundTimings = { ...emptyTimings(), firstByteMs: null, totalMs: 0 }
  const verdict = checkUrl(request.url, context.policy, { schemes })
  if (!verdict.ok || (request.send !== null && !acceptsText(portOf(verdict.url)))) {
    return { ok: false, error: 'blocked', durationMs: 0, timings }
  }
  const startedAt = performance.now()
  const totals = (endedAt: number) => {
    const rounded = roundedTimings(timings, endedAt - startedAt)
    return { durationMs: rounded.totalMs, timings: rounded }
  }
  const exchange = new Exchange(request, timings, startedAt)
  try {
    const { endedAt, ...reply } = await withTimeout(
      exchange.run(verdict.url, context),
      request.timeoutMs,
      () => {
        throw new OutboundFailure('timeout')
      },
    )
    return { ok: true, ...reply, ...totals(endedAt) }
  } catch (error) {
    const certificateFault = certificateFaultOf(error)
    const fault = { error: outboundErrorOf(error), certificateFault }
    return { ok: false, ...fault, ...totals(performance.now()) }
  } finally {
    exchange.end()
  }
}

interface Reply extends Pick<ConnectSuccess, 'received'>, ServerCertificate {
  endedAt: number
}

class Exchange {
  readonly #request: ConnectRequest
  readonly #timings: OutboundTimings
  readonly #startedAt: number
  readonly #stop: AbortTrigger = { isStopped: false, onStop: null }
  #socket: net.Socket | null = null

  constructor(request: ConnectRequest, timings: OutboundTimings, startedAt: number) {
    this.#request = request
    this.#timings = timings
    this.#startedAt = startedAt
  }

  async run(url: URL, { policy, secureContext }: OutboundContext): Promise<Reply> {
    const { send, maxBytes, timeoutMs } = this.#request
    const target = {
      host: hostOf(url),
      port: portOf(url),
      secureContext: url.protocol === 'tls:' ? secureContext : null,
      alpnProtocols: [],
      timeoutMs,
    }
    const socket = await connectSocket(target, policy, this.#timings, this.#stop)
    this.#socket = socket
    // Ignored: the socket may fail when no listener of a reply is attached.
    socket.on('error', () => {})
    const certificate = certificateOf(socket)
    const connectedAt = performance.now()
    if (send !== null) socket.write(send)
    if (maxBytes === 0) {
      // Sends the text before the end of the connection, unlike `destroy`.
      if (send !== null) socket.end()
      return { received: NOTHING, ...certificate, endedAt: connectedAt }
    }
    const received = await this.#receive(socket, maxBytes)
    return { ...received, ...certificate }
  }

  end(): void {
    this.#stop.isStopped = true
    this.#stop.onStop?.()
    this.#socket?.destroySoon()
  }

  /** Receives until the server closes, is quiet, or has sent `maxBytes`. */
  #receive(socket: net.Socket, maxBytes: number): Promise<Pick<Reply, 'received' | 'endedAt'>> {
    const { promise, resolve, reject } =
      Promise.withResolvers<Pick<Reply, 'received' | 'endedAt'>>()
    const chunks: Buffer[] = []
    let bytes = 0
    let endedAt = performance.now()
    let cancelQuiet = () => {}
    const finish = () => {
      cancelQuiet()
      socket.pause()
      resolve({ received: Buffer.concat(chunks).subarray(0, maxBytes), endedAt })
    }
    socket.on('data', (chunk: Buffer) => {
      endedAt = performance.now()
      if (bytes === 0) this.#timings.firstByteMs = endedAt - this.#startedAt
      chunks.push(chunk)
      bytes += chunk.length
      cancelQuiet()
      if (bytes >= maxBytes) finish()
      else cancelQuiet = startTimeout(finish, QUIET_MS)
    })
    socket.once('end', finish).once('error', reject).once('close', finish)
    return promise
  }
}

const NOTHING = Buffer.alloc(0)
