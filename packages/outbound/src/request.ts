/**
 * Outbound HTTP requests: validated targets, no redirects, one deadline for the whole request.
 * Never throws for a fault of the remote host; reports the kind of failure and durations, never an
 * address.
 */
import { Readable } from 'node:stream'
import { Semaphore, withTimeout } from '@status-page/concurrency'
import type { OutboundError } from '@status-page/contracts'
import { readCappedBody } from './body.ts'
import type { ConnectTimings, ServerCertificate } from './connect.ts'
import {
  type CertificateFault,
  certificateFaultOf,
  OutboundFailure,
  outboundErrorOf,
} from './failure.ts'
import { checkHeaders } from './headers.ts'
import {
  createConnectionPools,
  emptyTimings,
  type HttpTransport,
  type OutboundContext,
} from './http-transport.ts'
import type { OutboundPolicy } from './policy.ts'
import { createSingleUseTransport } from './single-use-transport.ts'
import { checkUrl } from './target.ts'

export const outboundMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type OutboundMethod = (typeof outboundMethods)[number]

export interface OutboundRequest {
  url: string
  method: OutboundMethod
  headers: Readonly<Record<string, string>>
  body?: string | Buffer | null
  /**
   * Deadline of the whole request, from DNS to the last byte. For a pool it starts when a
   * connection slot is free; a wait of more than half a minute also fails as `timeout`.
   */
  timeoutMs: number
  /** Limit of the body after decoding. */
  maxBodyBytes: number
  /**
   * Result of a longer body: cut off and marked `truncated` (the default), or the failure
   * `too_large`.
   */
  onOverflow?: 'truncate' | 'fail'
  /** Uses a single-use connection with timings and certificate, for checks. */
  fresh?: boolean
  /** Timeout of connection and TLS of a fresh connection; `timeoutMs` by default. */
  connectTimeoutMs?: number
  /** Timeout from the last byte of the request to the response headers, within `timeoutMs`. */
  firstByteTimeoutMs?: number
  /** Pool within which keep-alive connections are shared. */
  pool?: string
}

/** Durations in ms; null for a phase that did not occur, as on a reused connection. */
export interface OutboundTimings extends ConnectTimings {
  firstByteMs: number | null
  totalMs: number
}

/** The certificate is that of a fresh TLS connection. */
export interface OutboundSuccess extends ServerCertificate {
  ok: true
  status: number
  /** Names in lower case; repeated ones joined by a comma. */
  headers: Record<string, string>
  body: Buffer
  truncated: boolean
  durationMs: number
  timings: OutboundTimings
}

export interface OutboundFault {
  ok: false
  error: OutboundError
  /** Set when a certificate made the TLS handshake of a fresh connection fail. */
  certificateFault?: CertificateFault | null
  durationMs: number
  timings: OutboundTimings
}

export type OutboundResult = OutboundSuccess | OutboundFault

export interface HttpRequester {
  request(request: OutboundRequest): Promise<OutboundResult>
  close(): Promise<void>
}

const DEFAULT_POOL = 'default'

/** Maximum queued requests per host; further ones fail immediately. */
const MAX_WAITING_PER_HOST = 256
const MAX_WAIT_MS = 30_000

export const createHttpRequester = (
  context: OutboundContext,
  connectionsPerHost: number,
): HttpRequester => {
  const pools = createConnectionPools(context, connectionsPerHost)
  const semaphore = new Semaphore({
    slotsPerKey: connectionsPerHost,
    maxWaitingPerKey: MAX_WAITING_PER_HOST,
    waitMs: MAX_WAIT_MS,
  })
  return {
    async request(request) {
      const url = validateRequest(request, context.policy)
      const timings = { ...emptyTimings(), firstByteMs: null, totalMs: 0 }
      if (url === null) return { ok: false, error: 'blocked', durationMs: 0, timings }
      const { pool = DEFAULT_POOL, timeoutMs } = request
      const isFresh = request.fresh === true
      const release = isFresh ? () => {} : await semaphore.acquire(`${pool} ${url.origin}`)
      if (release === null) return { ok: false, error: 'timeout', durationMs: 0, timings }
      const transport = isFresh
        ? createSingleUseTransport(context, request.connectTimeoutMs ?? timeoutMs, timings)
        : pools.transport(pool)
      const startedAt = performance.now()
      const outcome = await sendWithDeadline(url, request, transport, {
        timings,
        startedAt,
      }).finally(release)
      const rounded = roundedTimings(timings, performance.now() - startedAt)
      return { ...outcome, durationMs: rounded.totalMs, timings: rounded }
    },
    close: () => pools.close(),
  }
}

/**
 * Validates the request again at the time of use, because the policy may be newer than the stored
 * target.
 */
const validateRequest = (request: OutboundRequest, policy: OutboundPolicy): URL | null => {
  const verdict = checkUrl(request.url, policy)
  const isValid =
    verdict.ok && outboundMethods.includes(request.method) && checkHeaders(request.headers).ok
  return isValid ? verdict.url : null
}

type Outcome =
  | Omit<OutboundSuccess, 'durationMs' | 'timings'>
  | Omit<OutboundFault, 'durationMs' | 'timings'>

const sendWithDeadline = async (
  url: URL,
  request: OutboundRequest,
  transport: HttpTransport,
  clock: { timings: OutboundTimings; startedAt: number },
): Promise<Outcome> => {
  const work = sendAndRead(url, request, transport, clock)
  try {
    // Not only an abort, which undici handles once the connection is established.
    return await withTimeout(work, request.timeoutMs, () => {
      transport.abort()
      throw new OutboundFailure('timeout')
    })
  } catch (error) {
    return { ok: false, error: outboundErrorOf(error), certificateFault: certificateFaultOf(error) }
  } finally {
    transport.end()
  }
}

const sendAndRead = async (
  url: URL,
  request: OutboundRequest,
  transport: HttpTransport,
  { timings, startedAt }: { timings: OutboundTimings; startedAt: number },
): Promise<Outcome> => {
  const { method, maxBodyBytes, onOverflow, firstByteTimeoutMs = null, body: sent = null } = request
  const headers = { ...request.headers, 'accept-encoding': 'identity' }
  const response = await transport.send({
    url,
    method,
    headers,
    body: sent,
    firstByteTimeoutMs,
    maxBodyBytes,
  })
  timings.firstByteMs = response.headersAt - startedAt
  const { status } = response
  const coding = hasBody(method, status) ? response.headers['content-encoding'] : undefined
  const { body, truncated } =
    response.body instanceof Readable
      ? await readCappedBody(response.body, coding, maxBodyBytes)
      : response.body
  if (truncated && onOverflow === 'fail') throw new OutboundFailure('too_large')
  const certificate = transport.certificate()
  return { ok: true, status, headers: response.headers, body, truncated, ...certificate }
}

const hasBody = (method: OutboundMethod, status: number): boolean =>
  method !== 'HEAD' && status !== 204 && status !== 304

export const roundedTimings = (timings: OutboundTimings, totalMs: number): OutboundTimings => {
  const round = (value: number | null) => (value === null ? null : Math.round(value))
  return {
    dnsMs: round(timings.dnsMs),
    connectMs: round(timings.connectMs),
    tlsMs: round(timings.tlsMs),
    firstByteMs: round(timings.firstByteMs),
    totalMs: Math.round(totalMs),
  }
}
