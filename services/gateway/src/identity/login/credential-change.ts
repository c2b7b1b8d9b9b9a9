/**
 * Change of a credential of an account: all other sessions of the account end in the same
 * transaction.
 */
import { invalid, unauthorized } from '@status-page/contracts'
import { asLookup, type SystemScope } from '@status-page/postgres'
import type { Call } from '@status-page/service'
import { sessionByHash } from '../sessions/session-store.ts'
import {
  invalidateEndedSessions,
  presentedTokenHash,
  renewSession,
  retainedSessionCounts,
} from '../sessions/sessions.ts'
import {
  type AccountOptions,
  type VerifiedLogin,
  verifyPassword,
} from '../sessions/verify-password.ts'
import { type CodeRefusal, commitThenThrowRefusal } from '../two-factor/refusal.ts'
import { type Account, accountById, lockAccount } from '../users/account-store.ts'
import { type AccountAction, accountAudit } from '../users/rules.ts'

/** Id of the session's user; the guard admits only sessions to these operations. */
export const userIdOf = ({ actor }: Pick<Call, 'actor'>): string => {
  if (actor.userId === null) throw unauthorized()
  return actor.userId
}

/** Verifies the password of the session's user before a change: a session may have been stolen. */
export const verifySessionUser = async (
  call: Call,
  { password, field }: { password: string; field: string },
  options: AccountOptions,
): Promise<VerifiedLogin> => {
  const userId = userIdOf(call)
  const account = await asLookup(options.database, (systemScope) =>
    accountById(systemScope, userId),
  )
  if (account === null) throw unauthorized()
  const verified = await verifyPassword(call, { email: account.email, password }, options)
  if (verified === null) throw invalid({ field, message: `${field} is incorrect` })
  return verified
}

export type CredentialDecision<T> = { result: T; action: AccountAction } | CodeRefusal

/** Runs `decide` with the account locked. A refusal is audited and changes nothing else. */
export const changeCredential = async <T>(
  call: Call,
  decide: (systemScope: SystemScope, account: Account) => Promise<CredentialDecision<T>>,
  options: AccountOptions,
): Promise<T> => {
  const { organizationId, actor } = call
  const by = { organizationId, actor }
  const { result, renewed } = await commitThenThrowRefusal(
    options.database,
    by,
    async (systemScope) => {
      const { account, session } = await lockOwner(systemScope, call, options)
      const decision = await decide(systemScope, account)
      if ('refusal' in decision) return decision
      const renewed = await renewSession(systemScope, {
        userId: account.id,
        organizationId,
        presented: session.tokenHash,
        actor,
        method: session.method,
        retainedCount: retainedSessionCounts.newCredential,
      })
      const audit = [accountAudit(decision.action, account)]
      return { result: { result: decision.result, renewed }, audit }
    },
  )
  call.addCookie(options.cookie.set(renewed.token))
  await invalidateEndedSessions(renewed.ended, options)
  return result
}

/**
 * Locks the account and reads the session again. Every credential change ends the other sessions,
 * so a session that still exists proves that a password verified before the lock is still valid.
 */
const lockOwner = async (systemScope: SystemScope, call: Call, options: AccountOptions) => {
  const account = await lockAccount(systemScope, userIdOf(call))
  const tokenHash = presentedTokenHash(call, options)
  const session = tokenHash === null ? null : await sessionByHash(systemScope, tokenHash)
  if (account === null || tokenHash === null || session === null) throw unauthorized()
  return { account, session: { tokenHash, method: session.method } }
}
