/** Invitations over HTTP: create, list and withdraw. Only the mail contains the token. */
import {
  conflict,
  Invitation,
  invitationOperations,
  listReply,
  orNotFound,
  successReply,
  viewOf,
} from '@status-page/contracts'
import {
  asLookup,
  type Database,
  type Scope,
  violatedUniqueConstraint,
} from '@status-page/postgres'
import { hashToken, randomToken, type Sealer } from '@status-page/secrets'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { accountByEmail } from '../../identity/users/account-store.ts'
import { readOrganization } from '../organization/store.ts'
import { lockGrantor } from '../rights/grant-authorization.ts'
import { isMember, memberById } from '../rights/member-store.ts'
import { lockRights, roleByReference } from '../rights/role-store.ts'
import { unknownRole, validateRoleGranted } from '../rights/rules.ts'
import {
  INVITATION_LIFETIME_MS,
  invitationAudit,
  invitationMailEvent,
  invitationStatusOf,
  validateDomain,
  validateOpenInvitations,
} from './rules.ts'
import * as store from './store.ts'

export const invitationRoutes = (options: InvitationOptions): Route[] =>
  createRoutes(invitationOperations, {
    async list(call) {
      const { rows, total, now } = await call.read(async (scope) => ({
        ...(await store.listInvitations(scope, call.query)),
        now: scope.now,
      }))
      return listReply(
        call.query,
        total,
        rows.map((row) => replyOf(row, now)),
      )
    },

    create: (call) => invite(call, options, call.body),

    async resend(call) {
      const { id } = call.params
      const { email, role } = orNotFound(
        await call.read((scope) => store.invitationById(scope, id)),
      )
      return invite(call, options, { email, role, replacedId: id })
    },

    remove: (call) =>
      call.change(async (scope) => {
        await lockRights(scope)
        const row = await withdrawOpen(scope, call.params.id)
        return {
          result: successReply,
          events: [],
          audit: [invitationAudit('invitation.delete', row)],
        }
      }),
  })

export interface InvitationOptions {
  database: Database
  sealer: Sealer
}

interface WantedInvitation {
  email: string
  role?: string | undefined
  /** Invitation that the new one replaces. */
  replacedId?: string
}

const invite = async (
  call: Call,
  { database, sealer }: InvitationOptions,
  { email, role: requestedRole = 'MEMBER', replacedId }: WantedInvitation,
): Promise<Invitation> => {
  const account = await asLookup(database, (systemScope) => accountByEmail(systemScope, email))
  const token = randomToken()
  return call
    .change(async (scope) => {
      const grantor = await lockGrantor(scope, call.caller)
      if (replacedId !== undefined) await withdrawOpen(scope, replacedId)
      const role = await roleByReference(scope, requestedRole)
      if (role === null) throw unknownRole()
      validateRoleGranted(grantor, role)
      const { name: organizationName, allowedEmailDomains } = await readOrganization(scope)
      validateDomain(email, allowedEmailDomains)
      if (await isMember(scope, email)) throw conflict('duplicate', 'Already a member')
      validateOpenInvitations(await store.countOpenInvitations(scope))
      const row = await store.insertInvitation(scope, {
        email,
        role: role.reference,
        tokenHash: hashToken(token),
        invitedBy: grantor.userId,
        expiresAt: new Date(scope.now.getTime() + INVITATION_LIFETIME_MS),
      })
      const mail = {
        organizationName,
        invitedBy: await nameOf(scope, grantor.userId),
        userId: account?.id ?? null,
        sealedToken: sealer.seal(token, {
          organizationId: scope.organizationId,
          purpose: 'mail-token',
          recordId: row.id,
        }),
      }
      return {
        result: replyOf(row, scope.now),
        events: [invitationMailEvent(row, mail)],
        audit: [invitationAudit('invitation.create', row)],
      }
    })
    .catch((error: unknown) => {
      throw violatedUniqueConstraint(error) === 'invitations_open_key'
        ? conflict('duplicate', 'This address has an open invitation')
        : error
    })
}

/**
 * Deletes an invitation that was not accepted. The lock of the rights serializes this with a
 * concurrent acceptance, which either commits first or finds no invitation.
 */
const withdrawOpen = async (scope: Scope, id: string): Promise<store.InvitationRow> => {
  const row = orNotFound(await store.invitationById(scope, id))
  if (row.acceptedAt !== null) throw conflict('invalid_state', 'Already accepted')
  await store.deleteInvitations(scope, [row.id])
  return row
}

const nameOf = async (scope: Scope, userId: string | null): Promise<string | null> =>
  userId === null ? null : ((await memberById(scope, userId))?.name ?? null)

const replyOf = (row: store.InvitationRow, now: Date): Invitation =>
  viewOf(Invitation, { ...row, status: invitationStatusOf(row, now) })
