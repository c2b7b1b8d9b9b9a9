/** Runs one HTTP check of a target through `packages/outbound` and evaluates the response. */
import type { CheckTimings, Condition } from '@status-page/contracts'
import type { Outbound, OutboundResult } from '@status-page/outbound'
import type { Sealer } from '@status-page/secrets'
import { isLoss } from '../checks/network.ts'
import { headerSealContext, type TargetHeader, type TargetMethod } from '../targets/rules.ts'
import type { Result } from '../verdicts/rules.ts'
import { evaluate } from './conditions.ts'

const MAX_BODY_BYTES = 1024 * 1024
const USER_AGENT = 'status-page-service'

export interface Probed {
  organizationId: string
  componentId: string
  url: string
  method: TargetMethod
  headers: readonly TargetHeader[]
  body: string | null
  timeoutMs: number
  conditions: readonly Condition[]
}

export interface ProbeDependencies {
  outbound: Pick<Outbound, 'request'>
  sealer: Pick<Sealer, 'open'>
  /** Epoch milliseconds. */
  now: () => number
}

export type Probe = (target: Probed) => Promise<Result>

/** Creates the probe. The returned function does not reject for any behaviour of a target. */
export const createProbe =
  ({ outbound, sealer, now }: ProbeDependencies): Probe =>
  async (target) => {
    const checkedAtMs = now()
    const answer = await outbound.request({
      url: target.url,
      method: target.method,
      headers: { 'user-agent': USER_AGENT, ...headersOf(target, sealer) },
      body: target.body,
      timeoutMs: target.timeoutMs,
      maxBodyBytes: MAX_BODY_BYTES,
      fresh: true,
      onOverflow: target.conditions.some(looksAtBody) ? 'fail' : 'truncate',
    })
    const responseMs = Math.round(answer.durationMs)
    const timings = timingsOf(answer.timings)
    if (!answer.ok) {
      return {
        checkedAtMs,
        timings,
        certificateExpiresAt: null,
        status: answer.error === 'timeout' ? 'TIMEOUT' : 'ERROR',
        statusCode: null,
        responseMs: answer.error === 'blocked' ? null : responseMs,
        error: answer.error,
        certificateFault: answer.certificateFault ?? null,
        conditionResults: [],
      }
    }
    const { status: statusCode, headers, body, certificateExpiresAt } = answer
    const { verdict, results, error } = evaluate(target.conditions, {
      statusCode,
      responseMs,
      headers,
      body,
    })
    return {
      checkedAtMs,
      timings,
      certificateExpiresAt,
      status: error === null ? verdict : 'ERROR',
      statusCode,
      responseMs,
      error,
      conditionResults: results,
    }
  }

const timingsOf = (timings: OutboundResult['timings']): CheckTimings => ({
  dns: rounded(timings.dnsMs),
  connect: rounded(timings.connectMs),
  tls: rounded(timings.tlsMs),
  firstByte: rounded(timings.firstByteMs),
})

/**
 * True when the condition needs the whole body. A partial body could miss the value that the
 * condition reads.
 */
const looksAtBody = ({ type }: Condition): boolean =>
  type === 'JSON_PATH' || type === 'BODY_CONTAINS'

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms))

/** Decrypts headers per request, so that a credential is in memory only during its check. */
const headersOf = (target: Probed, sealer: ProbeDependencies['sealer']): Record<string, string> =>
  Object.fromEntries(
    target.headers.map(({ name, value, sealedValue }) => [
      name.toLowerCase(),
      sealedValue === null
        ? (value ?? '')
        : sealer.open(sealedValue, headerSealContext(target, name)),
    ]),
  )

const CANARY_MS = 2000

/** Probes the canary addresses; any response from any of them counts. */
export const canaryProbe =
  (outbound: ProbeDependencies['outbound'], urls: readonly string[]) =>
  async (): Promise<boolean> => {
    const question = { method: 'HEAD', headers: { 'user-agent': USER_AGENT }, fresh: true } as const
    const limits = { timeoutMs: CANARY_MS, maxBodyBytes: 0 }
    const answers = await Promise.all(
      urls.map((url) => outbound.request({ url, ...question, ...limits })),
    )
    return answers.some((answer) => answer.ok || !isLoss(answer))
  }
