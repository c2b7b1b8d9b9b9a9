/** DNS checks: one query to a server, and the records of its response. */
import { dnsQuestionOf } from '@status-page/contracts'
import { notMeasured, type Probe } from './probe.ts'
import { evaluatedResult, failedResult } from './result.ts'

export const dns: Probe<'dns'> = {
  hostOf: ({ probe }) => new URL(probe.url).host,

  async run({ probe, timeoutMs }, { outbound, now }) {
    const { url, conditions } = probe
    const started = { checkedAtMs: now() }
    const question = dnsQuestionOf(new URL(url))
    // The URL was validated when it was stored.
    if ('problem' in question) return { ...notMeasured, ...started, status: 'ERROR' }
    const outcome = await outbound.queryDns({ url, ...question, timeoutMs })
    if (!outcome.ok) return failedResult(started, outcome)
    const { rcode, records } = outcome
    const result = evaluatedResult(started, outcome, conditions, { records })
    if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') {
      return { ...result, status: 'FAILURE', error: 'error_response' }
    }
    return records.length === 0 ? { ...result, status: 'FAILURE', error: 'no_record' } : result
  },
}
