/**
 * Only place that opens sockets. It connects to the validated addresses, so a name that resolves
 * differently between validation and connect (DNS rebinding) has no effect; host and SNI keep the
 * name.
 */
import net from 'node:net'
import tls from 'node:tls'
import { startTimeout } from '@status-page/concurrency'
import { allowedAddresses } from './allowed-addresses.ts'
import { OutboundFailure } from './failure.ts'
import type { OutboundPolicy } from './policy.ts'
import { DNS_TIMEOUT_MS } from './resolve.ts'

export interface ConnectTarget {
  host: string
  port: number
  /** Null for a connection without TLS. */
  secureContext: tls.SecureContext | null
  /** Protocols offered in the TLS handshake; HTTP/1.1 by default. */
  alpnProtocols?: readonly string[]
  /** Timeout of the connection and the TLS handshake together. */
  timeoutMs: number
}

/** Durations of the phases of a connect, in ms; null for a phase that did not occur. */
export interface ConnectTimings {
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
}

/** Cancellation of a connect; cheaper than an AbortSignal, which creates an error each time. */
export interface AbortTrigger {
  isStopped: boolean
  onStop: (() => void) | null
}

/**
 * Time before the other address family is tried; Node's default of 250 ms is too short for distant
 * hosts.
 */
const FAMILY_ATTEMPT_MS = 500

const HTTP_PROTOCOLS: readonly string[] = ['http/1.1']

/**
 * Resolves with a connected socket or rejects with an `OutboundFailure`. A cancellation destroys
 * the socket.
 */
export const connectSocket = async (
  target: ConnectTarget,
  policy: OutboundPolicy,
  timings: ConnectTimings,
  stop: AbortTrigger = { isStopped: false, onStop: null },
): Promise<net.Socket> => {
  const startedAt = performance.now()
  const addresses = await allowedAddresses(
    target.host,
    target.port,
    policy,
    Math.min(DNS_TIMEOUT_MS, target.timeoutMs),
  )
  timings.dnsMs = performance.now() - startedAt
  if (stop.isStopped) throw new OutboundFailure('timeout')
  const socket = open(target, addresses)
  await untilConnected(socket, target, timings, stop)
  const { remoteAddress } = socket
  // The policy is evaluated again only when the address is written differently than the validated
  // one.
  const isValidated = remoteAddress !== undefined && addresses.includes(remoteAddress)
  if (isValidated || (remoteAddress && policy.allowsAddress(remoteAddress, target.port)))
    return socket
  socket.destroy()
  // A connection that was already reset has no remote address, which is no reason to call it
  // blocked.
  throw new OutboundFailure(remoteAddress ? 'blocked' : 'connect_error')
}

/** Certificate that a server presented. */
export interface ServerCertificate {
  /** ISO 8601; null without TLS. */
  certificateExpiresAt: string | null
  /** Distinguished names, the most specific part first; null without TLS. */
  certificateNames: { subject: string; issuer: string } | null
}

export const noCertificate: ServerCertificate = {
  certificateExpiresAt: null,
  certificateNames: null,
}

export const certificateOf = (socket: net.Socket): ServerCertificate => {
  const certificate = socket instanceof tls.TLSSocket ? socket.getPeerX509Certificate() : undefined
  if (certificate === undefined) return noCertificate
  const { subject, subjectAltName, issuer, validToDate } = certificate
  return {
    certificateExpiresAt: validToDate.toISOString(),
    certificateNames: {
      // Certificates of hosts may have their names in the extension only.
      subject: distinguishedName(subject || subjectAltName),
      issuer: distinguishedName(issuer),
    },
  }
}

/** Bounded, because a server may present any name. */
const MAX_NAME_LENGTH = 255

const distinguishedName = (lines: string | undefined): string =>
  (lines ?? '').split('\n').reverse().join(', ').slice(0, MAX_NAME_LENGTH).toWellFormed()

const open = (target: ConnectTarget, addresses: readonly string[]): net.Socket => {
  const { host, port, secureContext, alpnProtocols = HTTP_PROTOCOLS } = target
  const options = {
    host,
    port,
    lookup: lookupOf(addresses),
    noDelay: true,
    keepAlive: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: FAMILY_ATTEMPT_MS,
  }
  if (secureContext === null) return net.connect(options)
  // An address has no SNI; its certificate is verified against `host`.
  const servername = net.isIP(host) === 0 ? host : ''
  return tls.connect({ ...options, secureContext, servername, ALPNProtocols: [...alpnProtocols] })
}

/** Lookup for Node, which may request one address or all; only all of them allow both families. */
const lookupOf =
  (addresses: readonly string[]): net.LookupFunction =>
  (_host, options, callback) => {
    const all = addresses.map((address) => ({ address, family: net.isIP(address) }))
    const [first] = all
    if (options.all === true) callback(null, all)
    else if (first !== undefined) callback(null, first.address, first.family)
  }

const untilConnected = (
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
    // A late error of a discarded socket must not end the process.
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
  const onClose = () => onError(new Error('connection was closed while connecting'))
  const onTimeout = () => fail(new OutboundFailure('timeout'))
  const cancel = startTimeout(onTimeout, target.timeoutMs)
  const settle = () => {
    cancel()
    stop.onStop = null
    socket.off('connect', onConnect).off('secureConnect', done).off('error', onError)
    socket.off('close', onClose)
  }

  socket.on('connect', onConnect).on('secureConnect', done).on('error', onError)
  socket.on('close', onClose)
  stop.onStop = onTimeout
  return promise
}

const connectErrorKind = (error: NodeJS.ErrnoException) =>
  error.code === 'ETIMEDOUT' ? 'timeout' : 'connect_error'
