/**
 * The one place that opens sockets. The judged addresses are the dialled ones, so a name that changes
 * its mind between judgement and connect gains nothing; host and SNI keep the name.
 */
import net from 'node:net'
import tls from 'node:tls'
import { dialableAddresses } from './connectable.ts'
import { OutboundFailure } from './failure.ts'
import type { OutboundPolicy } from './policy.ts'
import { DNS_TIMEOUT_MS } from './resolve.ts'

export interface ConnectTarget {
  host: string
  port: number
  /** Null for a plain connection. */
  secureContext: tls.SecureContext | null
  /** For the connection and the TLS handshake together. */
  timeoutMs: number
}

/** Phases in ms; null where there was none. */
export interface ConnectTimings {
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
}

/** By which whoever waits gives up; less than an AbortSignal, which makes an error each time. */
export interface AbortTrigger {
  isStopped: boolean
  onStop: (() => void) | null
}

/** Long enough for a far address to answer before the other family is tried; Node's own 250 ms is not. */
const FAMILY_ATTEMPT_MS = 500

/** A connected socket, or an `OutboundFailure`. Stopping destroys what is under way. */
export const connectSocket = async (
  target: ConnectTarget,
  policy: OutboundPolicy,
  timings: ConnectTimings,
  stop: AbortTrigger = { isStopped: false, onStop: null },
): Promise<net.Socket> => {
  const startedAt = performance.now()
  const addresses = await dialableAddresses(
    target.host,
    target.port,
    policy,
    Math.min(DNS_TIMEOUT_MS, target.timeoutMs),
  )
  timings.dnsMs = performance.now() - startedAt
  if (stop.isStopped) throw new OutboundFailure('timeout')
  const socket = open(target, addresses)
  await connected(socket, target, timings, stop)
  const { remoteAddress } = socket
  // The rules again only where it is spelled in another way than it was judged.
  const isJudged = remoteAddress !== undefined && addresses.includes(remoteAddress)
  if (isJudged || (remoteAddress && policy.allowsAddress(remoteAddress, target.port))) return socket
  socket.destroy()
  // A connection that was reset already has no far end: that is no verdict on its address.
  throw new OutboundFailure(remoteAddress ? 'blocked' : 'connect_error')
}

const open = (target: ConnectTarget, addresses: readonly string[]): net.Socket => {
  const { host, port, secureContext } = target
  const options = {
    host,
    port,
    lookup: answering(addresses),
    noDelay: true,
    keepAlive: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: FAMILY_ATTEMPT_MS,
  }
  if (secureContext === null) return net.connect(options)
  // An address has no SNI; its certificate is checked against `host`.
  const servername = net.isIP(host) === 0 ? host : ''
  return tls.connect({ ...options, secureContext, servername, ALPNProtocols: ['http/1.1'] })
}

/** Node asks in either form; only the array lets it try both families. */
const answering =
  (addresses: readonly string[]): net.LookupFunction =>
  (_host, options, callback) => {
    const all = addresses.map((address) => ({ address, family: net.isIP(address) }))
    const [first] = all
    if (options.all === true) callback(null, all)
    else if (first !== undefined) callback(null, first.address, first.family)
  }

const connected = (
  socket: net.Socket,
  target: ConnectTarget,
  timings: ConnectTimings,
  stop: AbortTrigger,
): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const isSecure = target.secureContext !== null
  const startedAt = performance.now()
  let connectedAt: number | null = null

  const fail = (failure: OutboundFailure) => {
    settle()
    // A late error of a socket that nobody waits for must not end the process.
    socket.on('error', () => {})
    socket.destroy()
    reject(failure)
  }
  const onConnect = () => {
    connectedAt = performance.now()
    timings.connectMs = connectedAt - startedAt
    if (!isSecure) done()
  }
  const done = () => {
    if (isSecure) timings.tlsMs = performance.now() - (connectedAt ?? startedAt)
    settle()
    resolve()
  }
  const onError = (error: NodeJS.ErrnoException) => {
    const kind = connectedAt !== null && isSecure ? 'tls_error' : connectErrorKind(error)
    fail(new OutboundFailure(kind, error))
  }
  const onClose = () => onError(new Error('closed while connecting'))
  const onLate = () => fail(new OutboundFailure('timeout'))
  const timer = setTimeout(onLate, target.timeoutMs)
  const settle = () => {
    clearTimeout(timer)
    stop.onStop = null
    socket.off('connect', onConnect).off('secureConnect', done).off('error', onError)
    socket.off('close', onClose)
  }

  socket.on('connect', onConnect).on('secureConnect', done).on('error', onError)
  socket.on('close', onClose)
  stop.onStop = onLate
  return promise
}

const connectErrorKind = (error: NodeJS.ErrnoException) =>
  error.code === 'ETIMEDOUT' ? 'timeout' : 'connect_error'
