/**
 * Release of an address: an account that never verified its address gives it up to a caller that has
 * proved the mailbox or its domain. The account keeps its organizations, sessions and password under an
 * address that receives no mail; nothing of it passes to the caller.
 */
import type { Actor } from '@status-page/contracts'
import { type Database, transactAsLookup } from '@status-page/postgres'
import { lockAccount, setEmail } from '../auth/account-store.ts'
import { addressReleased } from '../members/rules.ts'
import { deleteResets } from '../password/store.ts'
import { deleteVerifications, raiseMembershipVersions } from './store.ts'

/** Reserved by RFC 2606: no mail is ever delivered there. */
const RELEASED_DOMAIN = 'address-released.invalid'

/** False when the account was verified in the meantime: it keeps the address. */
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
        ...addressReleased({ ...membership, userId, email: released.email, name: account.name }),
      })),
    }
  })
