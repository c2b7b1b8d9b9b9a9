/** Domain checks: whether a domain is registered, and the days until its registration expires. */
import { evaluate } from './conditions.ts'
import { notMeasured, type Probe } from './probe.ts'
import { daysUntil } from './result.ts'

export const domain: Probe<'domain'> = {
  hostOf: ({ probe }) => new URL(probe.url).host,

  async run({ probe }, { registrations, now }) {
    const { url, conditions } = probe
    const checkedAtMs = now()
    const registration = await registrations.find(new URL(url).hostname)
    if (registration === null) return null
    const { isRegistered, expiresAt } = registration
    const result = { ...notMeasured, checkedAtMs }
    if (!isRegistered) return { ...result, status: 'FAILURE', error: 'not_registered' }
    // The registry does not publish the expiry.
    if (expiresAt === null) return null
    const domainDays = daysUntil(expiresAt, checkedAtMs)
    if (domainDays < 0) return { ...result, status: 'FAILURE', error: 'registration_expired' }
    const { verdict, results } = evaluate(conditions, { domainDays })
    return { ...result, status: verdict, conditionResults: results }
  },
}
