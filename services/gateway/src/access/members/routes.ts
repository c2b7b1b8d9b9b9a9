/**
 * Members over HTTP. A changed role or a removal is effective on every replica when the response is
 * sent.
 */
import {
  listReply,
  Member,
  memberOperations,
  orNotFound,
  successReply,
  viewOf,
} from '@status-page/contracts'
import { createRoutes, type Route } from '@status-page/service'
import { markSessionsForRenewal } from '../../identity/sessions/renewal.ts'
import {
  membershipRemovalOutcome,
  roleChangeOutcome,
  validateLastOwner,
} from '../../identity/users/membership-rules.ts'
import { type CredentialCaches, changeRights } from '../rights/grant-authorization.ts'
import * as store from '../rights/member-store.ts'
import { roleByReference } from '../rights/role-store.ts'
import { unknownRole, validateRoleGranted, validateRoleRevoked } from '../rights/rules.ts'
import { revokeExcessRights } from './revoke-excess-rights.ts'

export const memberRoutes = (caches: CredentialCaches): Route[] =>
  createRoutes(memberOperations, {
    async list(call) {
      const { rows, total } = await call.read((scope) => store.listMembers(scope, call.query))
      return listReply(call.query, total, rows.map(replyOf))
    },

    update(call) {
      const { role: requestedRole, transferKeysTo } = call.body
      return changeRights(call, caches, async (scope, grantor) => {
        const member = await memberOr404(scope, call.params.userId)
        const role = await roleByReference(scope, requestedRole ?? member.role)
        if (role === null) throw unknownRole()
        if (role.reference === member.role) {
          return { result: replyOf(member) }
        }
        validateRoleRevoked(grantor, member.role)
        validateRoleGranted(grantor, role)
        validateLastOwner(member, (await store.userIdsWithRole(scope, 'OWNER')).length)
        await store.setRole(scope, member, role.reference)
        const userIds = [member.userId]
        const isOwner = role.reference === 'OWNER'
        const holders = { userIds, rights: role.rights, isOwner }
        const revokedGrants = await revokeExcessRights(scope, holders, transferKeysTo)
        await markSessionsForRenewal(scope, userIds)
        const result = replyOf(await memberOr404(scope, member.userId))
        return { result, ...roleChangeOutcome(member, role.reference, revokedGrants) }
      })
    },

    async remove(call) {
      const { disabledApiKeys } = await changeRights(call, caches, async (scope, grantor) => {
        const member = await memberOr404(scope, call.params.userId)
        validateRoleRevoked(grantor, member.role)
        validateLastOwner(member, (await store.userIdsWithRole(scope, 'OWNER')).length)
        await store.deleteMembership(scope, member)
        const formerMember = { userIds: [member.userId], rights: [], isOwner: false }
        const revokedGrants = await revokeExcessRights(
          scope,
          formerMember,
          call.query.transferKeysTo,
        )
        return { result: revokedGrants, ...membershipRemovalOutcome(member, revokedGrants) }
      })
      return { ...successReply, disabledApiKeys: disabledApiKeys.length }
    },
  })

const memberOr404 = async (
  scope: Parameters<typeof store.memberById>[0],
  userId: string,
): Promise<store.MembershipRow> => orNotFound(await store.memberById(scope, userId))

const replyOf = (row: store.MembershipRow): Member =>
  viewOf(Member, { ...row, twoFactorEnabled: row.twoFactorSince !== null })
