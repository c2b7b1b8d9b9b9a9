/** One check of one target: the request, made through the one door, and what its answer is worth. */
import type { CheckTimings, Condition } from '@status-page/contracts'
import type { Outbound, OutboundResult } from '@status-page/outbound'
import type { Sealer } from '@status-page/secrets'
import { headerContext, type TargetHeader, type TargetMethod } from '../targets/rules.ts'
import { evaluate } from './conditions.ts'
import { isLoss } from './network.ts'
import type { Result } from './rules.ts'

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

/** Never throws for what a target does. */
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

/** Half a body may miss what the condition is about; without one the rest does not matter. */
const looksAtBody = ({ type }: Condition): boolean =>
  type === 'JSON_PATH' || type === 'BODY_CONTAINS'

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms))

/** Opened for each request: a credential lies in the clear no longer than its check takes. */
const headersOf = (target: Probed, sealer: ProbeDependencies['sealer']): Record<string, string> =>
  Object.fromEntries(
    target.headers.map(({ name, value, sealedValue }) => [
      name.toLowerCase(),
      sealedValue === null ? (value ?? '') : sealer.open(sealedValue, headerContext(target, name)),
    ]),
  )

const CANARY_MS = 2000

/** Whether the world answers: anything that comes from any of the addresses will do. */
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
