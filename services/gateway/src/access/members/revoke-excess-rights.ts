/**
 * Revocation of grants that exceed the present rights of their grantors: API keys are disabled or
 * transferred, open invitations are withdrawn.
 */
import { invalid } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { disableKeys, enabledKeysOf, transferKeys } from '../../identity/api-keys/store.ts'
import type { RevokedGrants } from '../../identity/users/membership-rules.ts'
import { deleteInvitations, openInvitationsBy } from '../invitations/store.ts'
import { memberById } from '../rights/member-store.ts'
import { roleByReference } from '../rights/role-store.ts'
import { coversPermissions, coversRights } from '../rights/rules.ts'

export interface RightsHolders {
  userIds: readonly string[]
  /** Rights of each of the users after the change; empty for removed members. */
  rights: readonly string[]
  isOwner: boolean
}

/**
 * Runs after the change of rights, in its transaction. Keys are transferred to `transferToUserId`
 * if it is given, and disabled otherwise.
 */
export const revokeExcessRights = async (
  scope: Scope,
  holders: RightsHolders,
  transferToUserId: string | undefined,
): Promise<RevokedGrants> => {
  const keys = (await enabledKeysOf(scope, holders.userIds)).filter(
    ({ permissions }) => !coversPermissions(holders.rights, permissions),
  )
  const ids = keys.map(({ id }) => id)
  const withdrawnInvitations = await withdrawInvitations(scope, holders)
  if (transferToUserId === undefined) {
    await disableKeys(scope, ids)
    return { disabledApiKeys: ids, transferredApiKeys: [], withdrawnInvitations }
  }
  const recipientRights = await rightsOfMember(scope, transferToUserId)
  if (
    recipientRights === null ||
    !keys.every((key) => coversPermissions(recipientRights, key.permissions))
  ) {
    const message = 'transferKeysTo must be a member with at least the permissions of the keys'
    throw invalid({ field: 'transferKeysTo', message })
  }
  await transferKeys(scope, ids, transferToUserId)
  return { disabledApiKeys: [], transferredApiKeys: ids, withdrawnInvitations }
}

const rightsOfMember = async (scope: Scope, userId: string): Promise<readonly string[] | null> => {
  const member = await memberById(scope, userId)
  const role = member === null ? null : await roleByReference(scope, member.role)
  return role?.rights ?? null
}

const withdrawInvitations = async (scope: Scope, holders: RightsHolders): Promise<string[]> => {
  const ids: string[] = []
  for (const { id, role: reference } of await openInvitationsBy(scope, holders.userIds)) {
    const role = await roleByReference(scope, reference)
    const isHeld = role !== null && coversRights(holders.rights, role.rights)
    if (!isHeld || (reference === 'OWNER' && !holders.isOwner)) ids.push(id)
  }
  await deleteInvitations(scope, ids)
  return ids
}
