/**
 * Limit of requested mails per address and purpose. Unknown addresses are counted too, so that the
 * limit does not reveal accounts.
 */
import { asLookup, type Database } from '@status-page/postgres'
import { sha256 } from '@status-page/secrets'
import * as store from './store.ts'

const HOUR_MS = 3_600_000
export const MAILS_PER_HOUR = 3

/** Counts a mail; returns false when the address has reached its limit for this hour. */
export const countMail = (
  database: Database,
  purpose: 'reset' | 'verification',
  email: string,
): Promise<boolean> =>
  asLookup(database, async (systemScope) => {
    const key = sha256(JSON.stringify([purpose, email]))
    const since = systemScope.now.getTime() - HOUR_MS
    const requests = await store.lockResetRequests(systemScope, key)
    const recent = requests.filter((at) => at.getTime() > since)
    if (recent.length >= MAILS_PER_HOUR) return false
    await store.saveResetRequests(systemScope, key, [...recent, systemScope.now])
    return true
  })
