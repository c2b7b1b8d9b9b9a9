/**
 * HTTP through the one door: judged targets, no redirects, one deadline over the whole exchange.
 * Never throws for what a remote does; tells the kind of failure and its times, never an address.
 */
import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { readCapped } from './body.ts'
import type { DialTimings } from './connect.ts'
import { kindOf, type OutboundError, OutboundFailure } from './failure.ts'
import { checkHeaders } from './headers.ts'
import { createPools, type Door, freshLine, type Line, noDialTimings } from './line.ts'
import type { OutboundPolicy } from './policy.ts'
import { checkUrl } from './target.ts'

export const outboundMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type OutboundMethod = (typeof outboundMethods)[number]

export interface OutboundRequest {
  url: string
  method: OutboundMethod
  headers: Readonly<Record<string, string>>
  body?: string | Buffer | null
  /** Of the whole exchange, from resolution to the last byte. */
  timeoutMs: number
  /** Of the body after decompression. */
  maxBodyBytes: number
  /** What a longer body is: cut off and marked `truncated` (the default), or a failure `too_large`. */
  onOverflow?: 'truncate' | 'fail'
  /** A connection of its own, closed afterwards, with times and certificate: for checks. */
  fresh?: boolean
  /** Connection and TLS of a fresh connection; `timeoutMs` unless said otherwise. */
  connectTimeoutMs?: number
  /** From the request's last byte to the answer's head; within `timeoutMs` in any case. */
  firstByteTimeoutMs?: number
  /** Kept connections are shared within a pool only. */
  pool?: string
}

/** Milliseconds; null where there was no such phase, as on a kept connection. */
export interface OutboundTimings extends DialTimings {
  firstByteMs: number | null
  totalMs: number
}

export interface OutboundSuccess {
  ok: true
  status: number
  /** Names in lower case; repeated ones joined by a comma. */
  headers: Record<string, string>
  body: Buffer
  truncated: boolean
  durationMs: number
  timings: OutboundTimings
  /** ISO 8601; only of a fresh TLS connection. */
  certificateExpiresAt: string | null
}

export interface OutboundFault {
  ok: false
  error: OutboundError
  durationMs: number
  timings: OutboundTimings
}

export type OutboundAnswer = OutboundSuccess | OutboundFault

export interface Requester {
  request(request: OutboundRequest): Promise<OutboundAnswer>
  close(): Promise<void>
}

const DEFAULT_POOL = 'default'

export const createRequester = (door: Door): Requester => {
  const pools = createPools(door)
  return {
    async request(request) {
      const url = judged(request, door.policy)
      const timings = { ...noDialTimings(), firstByteMs: null, totalMs: 0 }
      if (url === null) return { ok: false, error: 'blocked', durationMs: 0, timings }
      const line =
        request.fresh === true
          ? freshLine(url.origin, door, request.connectTimeoutMs ?? request.timeoutMs, timings)
          : pools.line(request.pool ?? DEFAULT_POOL)
      const startedAt = performance.now()
      const outcome = await exchange(url, request, line, timings, startedAt)
      line.end()
      const rounded = roundedTimings(timings, performance.now() - startedAt)
      return { ...outcome, durationMs: rounded.totalMs, timings: rounded }
    },
    close: () => pools.close(),
  }
}

/** The target again, at the time of use: what was stored may be older than the policy. */
const judged = (request: OutboundRequest, policy: OutboundPolicy): URL | null => {
  const verdict = checkUrl(request.url, policy)
  const isSound =
    verdict.ok && outboundMethods.includes(request.method) && checkHeaders(request.headers).ok
  return isSound ? verdict.url : null
}

type Outcome =
  | Omit<OutboundSuccess, 'durationMs' | 'timings'>
  | Omit<OutboundFault, 'durationMs' | 'timings'>

const exchange = async (
  url: URL,
  request: OutboundRequest,
  line: Line,
  timings: OutboundTimings,
  startedAt: number,
): Promise<Outcome> => {
  const deadline = startDeadline(request.timeoutMs)
  try {
    const response = await deadline.over(
      line.dispatcher.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers: { ...request.headers, 'accept-encoding': 'identity' },
        body: request.body ?? null,
        headersTimeout: request.firstByteTimeoutMs ?? 0,
        reset: request.fresh === true,
        signal: deadline.signal,
      }),
    )
    timings.firstByteMs = performance.now() - startedAt
    const headers = flat(response.headers)
    const { body, truncated } = await deadline.over(
      readCapped(
        response.body,
        hasBody(request.method, response.statusCode) ? headers['content-encoding'] : undefined,
        request.maxBodyBytes,
      ),
    )
    if (truncated && request.onOverflow === 'fail') throw new OutboundFailure('too_large')
    const certificateExpiresAt = line.certificateExpiresAt()
    return { ok: true, status: response.statusCode, headers, body, truncated, certificateExpiresAt }
  } catch (error) {
    return { ok: false, error: kindOf(error) }
  } finally {
    deadline.end()
  }
}

/**
 * One timer and one emitter, because `AbortSignal.timeout` costs several times as much on a hot path.
 * The race matters: undici hears of an abort only once it has a connection.
 */
const startDeadline = (timeoutMs: number) => {
  const signal = new EventEmitter()
  const { promise: expired, reject } = Promise.withResolvers<never>()
  expired.catch(() => {})
  const timer = setTimeout(() => {
    reject(new OutboundFailure('timeout'))
    signal.emit('abort')
  }, timeoutMs)
  return {
    signal,
    over: <Result>(work: Promise<Result>): Promise<Result> => Promise.race([work, expired]),
    end: () => clearTimeout(timer),
  }
}

const hasBody = (method: OutboundMethod, status: number): boolean =>
  method !== 'HEAD' && status !== 204 && status !== 304

const flat = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
  )

const roundedTimings = (timings: OutboundTimings, totalMs: number): OutboundTimings => {
  const round = (value: number | null) => (value === null ? null : Math.round(value))
  return {
    dnsMs: round(timings.dnsMs),
    connectMs: round(timings.connectMs),
    tlsMs: round(timings.tlsMs),
    firstByteMs: round(timings.firstByteMs),
    totalMs: Math.round(totalMs),
  }
}
