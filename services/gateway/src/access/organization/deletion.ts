/**
 * Deletion of the organization over HTTP: an owner requests it, and owners can withdraw it for
 * seven days.
 */
import {
  conflict,
  draftAudit,
  forbidden,
  type Organization,
  type Outcome,
  organizationDeletionOperations,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { type Call, createRoutes, type Route } from '@status-page/service'
import * as store from '../../erasure/store.ts'
import { reauthenticate } from '../../identity/login/reauthenticate.ts'
import type { AccountOptions } from '../../identity/sessions/verify-password.ts'
import { warnOwners } from '../../identity/users/owner-warnings.ts'
import { lockGrantor } from '../rights/grant-authorization.ts'
import { type OrganizationRow, readOrganization } from './store.ts'
import { organizationReplyOf } from './view.ts'

const DAY_MS = 86_400_000
/** Period in which an owner can withdraw the deletion. */
const GRACE_DAYS = 7

export const organizationDeletionRoutes = (account: AccountOptions): Route[] =>
  createRoutes(organizationDeletionOperations, {
    async remove(call) {
      // Checked before the proof, which costs a hash and consumes a code, and again under the lock.
      await call.read((scope) => validateOwner(scope, call))
      await reauthenticate(call, call.body, account)
      return call.change(async (scope) => {
        await validateOwner(scope, call)
        const row = await readOrganization(scope)
        if (row.deletionDueAt !== null) return { result: organizationReplyOf(row) }
        const dueAt = new Date(scope.now.getTime() + GRACE_DAYS * DAY_MS)
        await store.requestDeletion(scope, { requestedBy: call.actor.userId, dueAt })
        return deletionChanged(scope, call, row)
      })
    },

    restore: (call) =>
      call.change(async (scope) => {
        await validateOwner(scope, call)
        const row = await readOrganization(scope)
        if (row.deletionDueAt === null) {
          throw conflict('invalid_state', 'The organization is not scheduled for deletion')
        }
        if (!(await store.withdrawDeletion(scope))) {
          throw conflict('invalid_state', 'The deletion has already started')
        }
        return deletionChanged(scope, call, row)
      }),
  })

const validateOwner = async (scope: Scope, call: Pick<Call, 'caller'>): Promise<void> => {
  const { isOwner } = await lockGrantor(scope, call.caller)
  if (!isOwner) throw forbidden('owner_required', 'Only an OWNER can delete the organization')
}

const deletionChanged = async (
  scope: Scope,
  { actor }: Pick<Call, 'actor'>,
  before: OrganizationRow,
): Promise<Outcome<Organization>> => {
  const after = await readOrganization(scope)
  const deletesAt = {
    from: before.deletionDueAt?.toISOString() ?? null,
    to: after.deletionDueAt?.toISOString() ?? null,
  }
  const isWithdrawn = after.deletionDueAt === null
  const action = isWithdrawn ? 'organization.update' : 'organization.delete'
  const audit = draftAudit(action, after, { deletesAt })
  const events = await warnOwners(scope, {
    organizationId: scope.organizationId,
    warning: isWithdrawn ? 'organization_deletion_withdrawn' : 'organization_deletion_requested',
    ipAddress: actor.ipAddress,
    exceptUserId: actor.userId,
  })
  return { result: organizationReplyOf(after), events, audit: [audit] }
}
