/** Change of the name of an account, which every organization of the user shows. */
import { type authOperations, unauthorized } from '@status-page/contracts'
import { type Database, transactAsLookup } from '@status-page/postgres'
import type { Call } from '@status-page/service'
import { raiseMembershipVersions } from '../email-verification/store.ts'
import { userIdOf } from '../login/credential-change.ts'
import { lockAccount, setName } from '../users/account-store.ts'
import { memberChangeEvent } from '../users/membership-rules.ts'
import { accountAudit } from '../users/rules.ts'

export const updateAccount = (
  call: Call<typeof authOperations.updateMe>,
  { database }: { database: Database },
): Promise<void> =>
  transactAsLookup(database, async (systemScope) => {
    const account = await lockAccount(systemScope, userIdOf(call))
    if (account === null) throw unauthorized()
    const { name = account.name } = call.body
    if (name === account.name) return { result: undefined, organizations: [] }
    await setName(systemScope, account.id, name)
    const memberships = await raiseMembershipVersions(systemScope, account.id)
    const changes = { name: { from: account.name, to: name } }
    return {
      result: undefined,
      organizations: memberships.map(({ organizationId, ...membership }) => ({
        organizationId,
        actor: call.actor,
        events: [memberChangeEvent({ ...account, ...membership, userId: account.id, name })],
        audit: [accountAudit('auth.account_update', account, changes)],
      })),
    }
  })
