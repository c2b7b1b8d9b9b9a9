/**
 * Transport of one HTTP request on its own connection: measures the phases, reads the certificate,
 * and always closes the connection.
 *
 * Uses Node's client, because undici creates four errors with stack traces to close one client: a
 * check cost 1.7 times as much.
 */
import { type IncomingMessage, request as startRequest } from 'node:http'
import type net from 'node:net'
import { startTimeout } from '@status-page/concurrency'
import {
  type AbortTrigger,
  type ConnectTimings,
  certificateOf,
  connectSocket,
  noCertificate,
} from './connect.ts'
import { OutboundFailure } from './failure.ts'
import {
  type HttpTransport,
  MAX_RESPONSE_HEADER_BYTES,
  type OutboundContext,
  type TransportRequest,
} from './http-transport.ts'
import { hostOf, portOf } from './target.ts'

export const createSingleUseTransport = (
  context: OutboundContext,
  connectTimeoutMs: number,
  timings: ConnectTimings,
): HttpTransport => {
  const stop: AbortTrigger = { isStopped: false, onStop: null }
  let socket: net.Socket | null = null
  let certificate = noCertificate
  const end = () => {
    stop.isStopped = true
    stop.onStop?.()
    socket?.destroy()
  }
  return {
    async send(transportRequest) {
      const { url } = transportRequest
      const secureContext = url.protocol === 'https:' ? context.secureContext : null
      const target = { host: hostOf(url), port: portOf(url), secureContext }
      socket = await connectSocket(
        { ...target, timeoutMs: connectTimeoutMs },
        context.policy,
        timings,
        stop,
      )
      // Ignored: the socket may fail before the request or after the response, when no listener is
      // attached.
      socket.on('error', () => {})
      // Read now, because a closed socket has no certificate.
      certificate = certificateOf(socket)
      const response = await sendRequest(socket, transportRequest)
      const headers = joinHeaders(response.rawHeaders)
      const headersAt = performance.now()
      return { status: response.statusCode ?? 0, headers, headersAt, body: response }
    },
    certificate: () => certificate,
    abort: end,
    end,
  }
}

const sendRequest = (
  socket: net.Socket,
  transportRequest: TransportRequest,
): Promise<IncomingMessage> => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  // Closed during the connect; the client would wait for an event that never comes.
  if (socket.destroyed) throw new OutboundFailure('protocol_error')
  const { url, method, headers, body, firstByteTimeoutMs } = transportRequest
  const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
  const request = startRequest({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, ...length, host: url.host },
    maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
  })
  request.on('error', reject).once('response', resolve)
  // Unexpected upgrade; without a listener Node closes the connection silently.
  request.once('upgrade', () => reject(new OutboundFailure('protocol_error')))
  if (firstByteTimeoutMs !== null) {
    const onTimeout = () => reject(new OutboundFailure('timeout'))
    request.once('finish', () => {
      const cancel = startTimeout(onTimeout, firstByteTimeoutMs)
      promise.then(cancel, cancel)
    })
  }
  request.end(body ?? undefined)
  return promise
}

/** Joins repeated headers under lower-case names; bytes above ASCII are decoded as UTF-8. */
const joinHeaders = (raw: readonly string[]): Record<string, string> => {
  const headers = new Map<string, string>()
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase()
    const value = decodeUtf8(raw[index + 1] ?? '')
    const existing = headers.get(name)
    headers.set(name, existing === undefined ? value : `${existing}, ${value}`)
  }
  return Object.fromEntries(headers)
}

const decodeUtf8 = (value: string): string =>
  /[\u0080-\u00ff]/.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value
