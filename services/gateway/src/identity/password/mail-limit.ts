/**
 * Limit of requested mails per address and purpose. Unknown addresses are counted too, so that the
 * limit does not reveal accounts.
 */
import { asLookup, type Database } from '@status-page/postgres'
import { sha256 } from '@status-page/secrets'
import * as store from './store.ts'

const HOUR_MS = 3_600_000
export const MAILS_PER_HOUR = 3

type MailPurpose = 'reset' | 'verification' | 'test'

/** Counts a mail; returns false when the address has reached its limit for this hour. */
export const countMail = async (
  database: Database,
  purpose: MailPurpose,
  email: string,
): Promise<boolean> => (await waitForMail(database, purpose, email)) === 0

/** Counts a mail, or returns the time in ms until the next one is permitted. */
export const waitForMail = (
  database: Database,
  purpose: MailPurpose,
  email: string,
): Promise<number> =>
  asLookup(database, async (systemScope) => {
    const key = sha256(JSON.stringify([purpose, email]))
    const since = systemScope.now.getTime() - HOUR_MS
    const requests = await store.lockResetRequests(systemScope, key)
    const recent = requests.filter((at) => at.getTime() > since)
    if (recent.length >= MAILS_PER_HOUR) {
      return Math.max(1, Math.min(...recent.map((at) => at.getTime())) - since)
    }
    await store.saveResetRequests(systemScope, key, [...recent, systemScope.now])
    return 0
  })
