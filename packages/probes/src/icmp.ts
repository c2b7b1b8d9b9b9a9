/** ICMP checks: one echo request by the `ping` of the system. */
import { Semaphore } from '@status-page/concurrency'
import type { Probe } from './probe.ts'
import { evaluatedResult, failedResult } from './result.ts'

/** Processes at once: each takes about 2 MB, and an unreachable host occupies one until its end. */
const processes = new Semaphore({ slots: 64, slotsPerKey: 8, maxWaitingPerKey: 256, waitMs: 5_000 })

export const icmp: Probe<'icmp'> = {
  hostOf: ({ probe }) => new URL(probe.url).host,

  async run({ organizationId, probe, timeoutMs }, { outbound, now }) {
    const { url, conditions } = probe
    // A location that lost its `ping` after the component was saved has no result.
    if (!(await outbound.canPing())) return null
    const release = await processes.acquire(organizationId)
    if (release === null) return null
    const started = { checkedAtMs: now() }
    const outcome = await outbound.ping({ url, timeoutMs }).finally(release)
    return outcome.ok
      ? evaluatedResult(started, outcome, conditions, {})
      : failedResult(started, outcome)
  },
}
