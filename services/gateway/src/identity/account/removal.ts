/**
 * Deletion of an account in one transaction, so that it is never half deleted. Organizations
 * without other members are deleted with it; in the others, services handle the event and erase the
 * person's data.
 */
import {
  accountErased,
  accountErasureOperations,
  conflict,
  draftAudit,
  draftEvent,
  memberRemoved,
  type OutcomeDrafts,
  successReply,
  unauthorized,
} from '@status-page/contracts'
import { newId, transactAsLookup } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { userIdOf } from '../login/credential-change.ts'
import { reauthenticate } from '../login/reauthenticate.ts'
import { organizationRevocationKey, publishRevocations } from '../sessions/credentials.ts'
import type { AccountOptions } from '../sessions/verify-password.ts'
import { type Account, lockAccount } from '../users/account-store.ts'
import { accountExport } from './account-export.ts'
import * as store from './data-store.ts'

export const accountErasureRoutes = (options: AccountOptions): Route[] =>
  createRoutes(accountErasureOperations, {
    async removeAccount(call) {
      await reauthenticate(call, call.body, options)
      const organizationIds = await removeAccount(call, options)
      for (const id of organizationIds)
        options.credentials.invalidate(organizationRevocationKey(id))
      await options.replicas.waitForCacheExpiry()
      call.addCookie(options.cookie.clear())
      return successReply
    },
    exportAccount: (call) => accountExport(call, options),
  })

const removeAccount = (call: Call, { database, sealer }: AccountOptions): Promise<string[]> =>
  transactAsLookup(database, async (systemScope) => {
    const account = await lockAccount(systemScope, userIdOf(call))
    if (account === null) throw unauthorized()
    const memberships = await store.membershipsOfAccount(systemScope, account.id)
    validateOwnership(memberships)
    const soleMemberships = memberships.filter(({ others }) => others === 0)
    await store.deleteOrganizations(
      systemScope,
      soleMemberships.map(({ organizationId }) => organizationId),
    )
    await store.disableKeys(systemScope, account.id)
    await store.deleteAccount(systemScope, account)
    const ids = memberships.map(({ organizationId }) => organizationId)
    await publishRevocations(systemScope, ids.map(organizationRevocationKey))
    // The audit entry identifies the account by its id only.
    const actor = { ...call.actor, ipAddress: null, userAgent: null }
    const organizations = memberships
      .filter(({ others }) => others > 0)
      .map((membership) => ({
        organizationId: membership.organizationId,
        actor,
        ...memberRemoval(account, membership, sealer),
      }))
    return { result: ids, organizations }
  })

/** Rejects a removal that would leave members without an owner. */
const validateOwnership = (memberships: readonly store.AccountMembership[]): void => {
  const soleOwnership = memberships.find(
    ({ role, others, otherOwners }) => role === 'OWNER' && others > 0 && otherOwners === 0,
  )
  if (soleOwnership === undefined) return
  throw conflict(
    'last_owner',
    `The only OWNER of ${soleOwnership.name} can leave once another member is OWNER`,
  )
}

/** Events and audit entry of one organization; they contain no name. */
const memberRemoval = (
  account: Account,
  { organizationId, id, version, role }: store.AccountMembership,
  sealer: Sealer,
): OutcomeDrafts => {
  const recordId = newId()
  const context = { organizationId, purpose: 'erased-address', recordId } as const
  const member = { userId: account.id, email: '', name: '', role }
  const erased = { userId: account.id, sealedAddress: sealer.seal(account.email, context) }
  return {
    events: [
      draftEvent(memberRemoved, { id, version: version + 1 }, { member }),
      draftEvent(accountErased, { id: recordId, version: 1 }, erased),
    ],
    audit: [draftAudit('member.delete', { id: account.id, name: null }, { role: { from: role } })],
  }
}
