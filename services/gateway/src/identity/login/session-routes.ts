/** Sessions of the caller over HTTP: list, end, and switch to another organization. */
import {
  type Identity,
  invalid,
  limitAndOffset,
  listReply,
  notFound,
  type Session,
  sessionOperations,
  sortOrderOf,
  successReply,
  unauthorized,
} from '@status-page/contracts'
import { asLookup, type SystemScope, transactAsLookup } from '@status-page/postgres'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { firstMembershipAdmittingPassword, recordEmergencyLogin } from '../saml/enforcement.ts'
import { publishRevocations } from '../sessions/credentials.ts'
import { isSessionAlive, sessionExpiryOf } from '../sessions/session-cookie.ts'
import {
  deleteSession,
  type SessionRow,
  sessionByHash,
  sessionsOfUser,
} from '../sessions/session-store.ts'
import {
  invalidateEndedSessions,
  presentedTokenHash,
  renewSession,
  retainedSessionCounts,
  type SessionOptions,
} from '../sessions/sessions.ts'
import { lockAccount } from '../users/account-store.ts'
import { membershipsOf } from '../users/membership-store.ts'
import { accountAudit, identityReplyOf } from '../users/rules.ts'
import { userIdOf } from './credential-change.ts'

export const sessionRoutes = (options: SessionOptions): Route[] =>
  createRoutes(sessionOperations, {
    async list(call) {
      const { current, all } = await asLookup(options.database, (systemScope) =>
        visibleSessions(systemScope, call, options),
      )
      const direction = sortOrderOf(call.query) === 'asc' ? 1 : -1
      const sorted = all.sort((left, right) => direction * byCreation(left, right))
      const { limit, offset } = limitAndOffset(call.query)
      const page = sorted.slice(offset, offset + limit)
      return listReply(
        call.query,
        all.length,
        page.map((row) => replyOf(row, current)),
      )
    },

    async remove(call) {
      const ended = await endSessionById(call, options)
      await invalidateEndedSessions([ended], options)
      if (ended === presentedTokenHash(call, options)) call.addCookie(options.cookie.clear())
      return successReply
    },

    switchOrganization: (call) => switchOrganization(call, options),
  })

const byCreation = (left: SessionRow, right: SessionRow) =>
  left.createdAt.getTime() - right.createdAt.getTime() || (left.id < right.id ? -1 : 1)

const replyOf = (row: SessionRow, current: string): Session => ({
  id: row.id,
  isCurrent: row.tokenHash === current,
  ipAddress: row.ipAddress,
  userAgent: row.userAgent,
  lastUsedAt: row.lastSeenAt.toISOString(),
  expiresAt: sessionExpiryOf(row).toISOString(),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.lastSeenAt.toISOString(),
})

/**
 * Returns the sessions that the caller may see. A session of single sign-on sees only sessions of
 * its own organization, because the provider identifies users for that organization alone.
 */
const visibleSessions = async (systemScope: SystemScope, call: Call, options: SessionOptions) => {
  const current = presentedTokenHash(call, options)
  const session = current === null ? null : await sessionByHash(systemScope, current)
  if (current === null || session === null) throw unauthorized()
  const rows = await sessionsOfUser(systemScope, userIdOf(call))
  const all = rows
    .filter((row) => isSessionAlive(row, systemScope.now))
    .filter((row) => session.method !== 'sso' || row.organizationId === session.organizationId)
  return { current, session, all }
}

const endSessionById = (
  call: Call<typeof sessionOperations.remove>,
  options: SessionOptions,
): Promise<string> =>
  transactAsLookup(options.database, async (systemScope) => {
    const { all, session } = await visibleSessions(systemScope, call, options)
    const row = all.find(({ id }) => id === call.params.id)
    if (row === undefined || !(await deleteSession(systemScope, row.tokenHash))) {
      throw notFound()
    }
    await publishRevocations(systemScope, [row.tokenHash])
    const audit = [accountAudit('auth.logout', { id: row.userId, email: session.email })]
    const { organizationId } = row
    const { actor } = call
    return { result: row.tokenHash, organizations: [{ organizationId, actor, events: [], audit }] }
  })

/**
 * Starts a session in another organization. The new session keeps the creation time of the current
 * one, so that switching does not extend its lifetime.
 */
const switchOrganization = async (
  call: Call<typeof sessionOperations.switchOrganization>,
  options: SessionOptions,
): Promise<Identity> => {
  const { actor } = call
  const { identity, renewed } = await transactAsLookup(options.database, async (systemScope) => {
    const account = await lockAccount(systemScope, userIdOf(call))
    const { current, session } = await visibleSessions(systemScope, call, options)
    const memberships = await membershipsOf(systemScope, userIdOf(call))
    const target = memberships.find(
      ({ organizationId }) => organizationId === call.body.organizationId,
    )
    if (account === null || target === undefined) throw notMember()
    const isPassword = session.method === 'password'
    const isAdmitted = isPassword
      ? firstMembershipAdmittingPassword([target], account) !== null
      : target.organizationId === session.organizationId
    if (!isAdmitted) throw notMember()
    const { organizationId, organizationName: name, slug, role } = target
    const renewed = await renewSession(systemScope, {
      userId: account.id,
      organizationId,
      presented: current,
      actor,
      method: session.method,
      createdAt: session.createdAt,
      retainedCount: retainedSessionCounts.login,
    })
    const none = { events: [], changes: {} }
    const emergency = isPassword ? await recordEmergencyLogin(systemScope, target, actor) : none
    const loginAudit = [{ ...accountAudit('auth.login', account), changes: emergency.changes }]
    const logoutAudit = [accountAudit('auth.logout', account)]
    return {
      result: {
        identity: identityReplyOf(account, { id: organizationId, name, slug }, role),
        renewed,
      },
      organizations: [
        { organizationId: session.organizationId, actor, events: [], audit: logoutAudit },
        { organizationId, actor, events: emergency.events, audit: loginAudit },
      ],
    }
  })
  call.addCookie(options.cookie.set(renewed.token))
  await invalidateEndedSessions(renewed.ended, options)
  return identity
}

const notMember = () =>
  invalid({ field: 'organizationId', message: 'organizationId is not one of your organizations' })
