/** HTTP checks: one request through `packages/outbound`, and the evaluation of its response. */
import type { Condition } from '@status-page/contracts'
import { headerEncryptionContext } from '@status-page/secrets'
import { isLoss, type Probe, type ProbeDeps, type Probed } from './probe.ts'
import { evaluatedResult, failedResult } from './result.ts'

const MAX_BODY_BYTES = 1024 * 1024
const USER_AGENT = 'status-page-service'

export const http: Probe<'http'> = {
  hostOf: ({ probe }) => new URL(probe.url).host,

  async run(target, { outbound, sealer, now }) {
    const { probe, timeoutMs } = target
    const { url, method, body, conditions } = probe
    const started = { checkedAtMs: now() }
    const response = await outbound.request({
      url,
      method,
      headers: { 'user-agent': USER_AGENT, ...headersOf(target, sealer) },
      body,
      timeoutMs,
      maxBodyBytes: MAX_BODY_BYTES,
      fresh: true,
      onOverflow: conditions.some(looksAtBody) ? 'fail' : 'truncate',
    })
    if (!response.ok) return failedResult(started, response)
    const { status: statusCode, headers } = response
    return evaluatedResult(started, response, conditions, {
      statusCode,
      headers,
      body: response.body,
    })
  },
}

/**
 * True when the condition needs the whole body. A partial body could miss the value that the
 * condition reads.
 */
const looksAtBody = ({ type }: Condition): boolean =>
  type === 'JSON_PATH' || type === 'BODY_CONTAINS'

/** Decrypts headers per request, so that a credential is in memory only during its check. */
const headersOf = (target: Probed<'http'>, sealer: ProbeDeps['sealer']): Record<string, string> =>
  Object.fromEntries(
    target.probe.headers.map(({ name, value, sealedValue }) => [
      name.toLowerCase(),
      sealedValue === null
        ? (value ?? '')
        : sealer.open(sealedValue, headerEncryptionContext(target, name)),
    ]),
  )

const CANARY_MS = 2000

/** Probes the canary addresses; any response from any of them counts. */
export const canaryProbe =
  (outbound: ProbeDeps['outbound'], urls: readonly string[]) => async (): Promise<boolean> => {
    const question = { method: 'HEAD', headers: { 'user-agent': USER_AGENT }, fresh: true } as const
    const limits = { timeoutMs: CANARY_MS, maxBodyBytes: 0 }
    const responses = await Promise.all(
      urls.map((url) => outbound.request({ url, ...question, ...limits })),
    )
    return responses.some((response) => response.ok || !isLoss(response))
  }
