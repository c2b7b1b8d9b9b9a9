/** TLS checks: a handshake with a server of any protocol, and its certificate. */
import type { Probe } from './probe.ts'
import { evaluatedResult, failedResult } from './result.ts'

export const tls: Probe<'tls'> = {
  hostOf: ({ probe }) => new URL(probe.url).host,

  async run({ probe, timeoutMs }, { outbound, now }) {
    const { url, conditions } = probe
    const started = { checkedAtMs: now() }
    const outcome = await outbound.connect({ url, send: null, maxBytes: 0, timeoutMs })
    return outcome.ok
      ? evaluatedResult(started, outcome, conditions, {})
      : failedResult(started, outcome)
  },
}
