/** Results of checks, from the results of outbound requests. */
import type { CheckTimings, Condition, ProbeResult } from '@status-page/contracts'
import type { ConnectResult, DnsResponse, OutboundResult, PingReply } from '@status-page/outbound'
import { evaluate, type ProbeResponse } from './conditions.ts'
import { notMeasured } from './probe.ts'

type Outcome = OutboundResult | ConnectResult | DnsResponse | PingReply

/** Start of the check in epoch milliseconds. */
type Started = Pick<ProbeResult, 'checkedAtMs'>

/** ProbeResult of a check without a response. */
export const failedResult = (
  { checkedAtMs }: Started,
  { error, certificateFault = null, durationMs, timings }: Extract<Outcome, { ok: false }>,
): ProbeResult => ({
  ...notMeasured,
  checkedAtMs,
  timings: timingsOf(timings),
  status: error === 'timeout' ? 'TIMEOUT' : 'ERROR',
  responseMs: error === 'blocked' ? null : Math.round(durationMs),
  error,
  certificateFault,
})

/** ProbeResult of a check with a response, which its conditions evaluate. */
export const evaluatedResult = (
  { checkedAtMs }: Started,
  outcome: Extract<Outcome, { ok: true }>,
  conditions: readonly Condition[],
  measured: Omit<ProbeResponse, 'responseMs' | 'certificateDays'>,
): ProbeResult => {
  const { certificateExpiresAt, certificateNames, durationMs, timings } = outcome
  const responseMs = Math.round(durationMs)
  const certificateDays =
    certificateExpiresAt === null ? undefined : daysUntil(certificateExpiresAt, checkedAtMs)
  const response = { ...measured, responseMs, certificateDays }
  const { verdict, results, error } = evaluate(conditions, response)
  return {
    checkedAtMs,
    timings: timingsOf(timings),
    certificateExpiresAt,
    certificateNames,
    status: error === null ? verdict : 'ERROR',
    statusCode: measured.statusCode ?? null,
    responseMs,
    error,
    conditionResults: results,
  }
}

const DAY_MS = 86_400_000

/** Whole days from the check until a time in ISO 8601. */
export const daysUntil = (time: string, checkedAtMs: number): number =>
  Math.floor((Date.parse(time) - checkedAtMs) / DAY_MS)

const timingsOf = (timings: Outcome['timings']): CheckTimings => ({
  dns: rounded(timings.dnsMs),
  connect: rounded(timings.connectMs),
  tls: rounded(timings.tlsMs),
  firstByte: rounded(timings.firstByteMs),
})

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms))
