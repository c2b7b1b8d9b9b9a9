/** TCP checks: a connection, and the text that the server sends when a condition reads it. */
import type { Probe } from './probe.ts'
import { evaluatedResult, failedResult } from './result.ts'

const MAX_BANNER_BYTES = 4096

export const tcp: Probe<'tcp'> = {
  hostOf: ({ probe }) => new URL(probe.url).host,

  async run({ probe, timeoutMs }, { outbound, now }) {
    const { url, send, conditions } = probe
    const started = { checkedAtMs: now() }
    const readsBanner = conditions.some(({ type }) => type === 'BANNER')
    const outcome = await outbound.connect({
      url,
      send,
      maxBytes: readsBanner ? MAX_BANNER_BYTES : 0,
      timeoutMs,
    })
    if (!outcome.ok) return failedResult(started, outcome)
    const banner = outcome.received.toString('utf8').replace(/\r?\n$/, '')
    return evaluatedResult(started, outcome, conditions, { banner })
  },
}
