/**
 * Release of an address: an account that never verified its address loses it to a caller that has
 * proved control of the mailbox or its domain. The account retains its organizations, sessions and
 * password under an address that receives no mail; the caller receives none of its data.
 */
import type { Actor } from '@status-page/contracts'
import { type Database, transactAsLookup } from '@status-page/postgres'
import { deleteResets } from '../password/store.ts'
import { lockAccount, setEmail } from '../users/account-store.ts'
import { addressReleaseOutcome } from '../users/membership-rules.ts'
import { deleteVerifications, raiseMembershipVersions } from './store.ts'

/** Reserved by RFC 2606: no mail is ever delivered there. */
const RELEASED_DOMAIN = 'address-released.invalid'

/** Returns false when the account was verified in the meantime; its address then stays. */
export const releaseAddress = (
  database: Database,
  userId: string,
  actor: Actor,
): Promise<boolean> =>
  transactAsLookup(database, async (systemScope) => {
    const account = await lockAccount(systemScope, userId)
    if (account === null || account.emailVerifiedAt !== null) {
      return { result: false, organizations: [] }
    }
    const released = { ...account, email: `${userId}@${RELEASED_DOMAIN}` }
    await setEmail(systemScope, userId, released.email)
    await deleteVerifications(systemScope, userId)
    await deleteResets(systemScope, userId)
    const memberships = await raiseMembershipVersions(systemScope, userId)
    const by: Actor = { ...actor, type: 'system', userId: null, apiKeyId: null }
    return {
      result: true,
      organizations: memberships.map(({ organizationId, ...membership }) => ({
        organizationId,
        actor: by,
        ...addressReleaseOutcome({
          ...membership,
          userId,
          email: released.email,
          name: account.name,
        }),
      })),
    }
  })
