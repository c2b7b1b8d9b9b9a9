/**
 * Login: every failure is the same 401, and a session begins only after password and code are
 * verified.
 */
import {
  type AppError,
  type authOperations,
  type Identity,
  type twoFactorOperations,
  unauthorized,
} from '@status-page/contracts'
import type { SystemScope } from '@status-page/postgres'
import type { Call } from '@status-page/service'
import { firstMembershipAdmittingPassword, recordEmergencyLogin } from '../saml/enforcement.ts'
import {
  endSession,
  invalidateEndedSessions,
  presentedTokenHash,
  type RenewedSession,
  renewSession,
  retainedSessionCounts,
  type SessionOptions,
  userActorOf,
} from '../sessions/sessions.ts'
import {
  type AccountOptions,
  recordLoginFailure,
  type VerifiedLogin,
  verifyPassword,
} from '../sessions/verify-password.ts'
import { verifyTwoFactorCode } from '../two-factor/code.ts'
import {
  type CodeRefusal,
  codeRefusalOf,
  codeRequiredError,
  commitThenThrowRefusal,
  toCodeRefusal,
} from '../two-factor/refusal.ts'
import { type Account, lockAccount, markLogin } from '../users/account-store.ts'
import type { Membership } from '../users/membership-store.ts'
import { accountAudit, identityReplyOf } from '../users/rules.ts'

type LoginCall = Call<typeof authOperations.login>

export const login = async (call: LoginCall, options: AccountOptions): Promise<Identity> => {
  const email = call.body.email.toLowerCase()
  const verified = await verifyPassword(call, { email, password: call.body.password }, options)
  const membership = verified === null ? null : admitLogin(call, verified, options)
  if (verified === null || membership === null) throw wrongLogin()
  const { account, token, ended } = await openSession(call, { ...verified, membership }, options)
  call.addCookie(options.cookie.set(token))
  if (options.device.read(call.headers.cookie as string | undefined, email) === null) {
    call.addCookie(options.device.set(email))
  }
  await invalidateEndedSessions(ended, options)
  const { organizationId: id, organizationName: name, slug, role } = membership
  return identityReplyOf(account, { id, name, slug }, role)
}

/** Ends the session of the browser, if there is one. */
export const logout = async (call: Call, options: SessionOptions): Promise<void> => {
  await endSession(call, options)
  call.addCookie(options.cookie.clear())
  // The value "cookies" would also delete the device cookie and cookies of sibling hosts, and
  // "storage" the text that the dashboard stores per user until it is sent.
  call.setHeader('clear-site-data', '"cache"')
}

export const checkTwoFactor = async (
  call: Call<typeof twoFactorOperations.check>,
  options: AccountOptions,
): Promise<{ twoFactorRequired: boolean }> => {
  const { email, password } = call.body
  const verified = await verifyPassword(call, { email: email.toLowerCase(), password }, options)
  if (verified === null || admitLogin(call, verified, options) === null) throw wrongLogin()
  return { twoFactorRequired: verified.account.twoFactorEnabled }
}

/**
 * Returns the first membership that admits a password; null when every organization of the account
 * enforces single sign-on, which the caller treats as a wrong login.
 */
const admitLogin = (
  call: Call,
  verified: VerifiedLogin,
  { database }: AccountOptions,
): Membership | null => {
  const membership = firstMembershipAdmittingPassword(verified.memberships, verified.account)
  if (membership === null) recordLoginFailure(call, database, verified)
  return membership
}

/** Consumes the code, ends the old sessions and begins the new one in one transaction. */
const openSession = async (
  call: LoginCall,
  verified: VerifiedLogin,
  options: AccountOptions,
): Promise<RenewedSession & { account: Account }> => {
  const { membership } = verified
  const { organizationId } = membership
  const actor = userActorOf(call, verified.account.id)
  return commitThenThrowRefusal(
    options.database,
    { organizationId, actor },
    async (systemScope) => {
      const account = await lockAccount(systemScope, verified.account.id)
      // The password may have been changed after it was verified; the login then fails.
      const isUnchanged = account?.passwordHash === verified.account.passwordHash
      if (
        account === null ||
        !isUnchanged ||
        firstMembershipAdmittingPassword([membership], account) === null
      ) {
        return toCodeRefusal(wrongLogin())
      }
      const refused = await refusedCode(systemScope, call, account, options)
      if (refused !== null) return refused
      await markLogin(systemScope, account.id)
      const renewed = await renewSession(systemScope, {
        userId: account.id,
        organizationId,
        presented: presentedTokenHash(call, options),
        actor,
        method: 'password' as const,
        retainedCount: retainedSessionCounts.login,
      })
      const { events, changes } = await recordEmergencyLogin(systemScope, membership, actor)
      const audit = [{ ...accountAudit('auth.login', account), changes }]
      return { result: { ...renewed, account }, audit, events }
    },
  )
}

const refusedCode = async (
  systemScope: SystemScope,
  { body, actor, log }: LoginCall,
  account: Account,
  { sealer }: AccountOptions,
): Promise<CodeRefusal | null> => {
  const guess = { userId: account.id, code: body.code }
  const verdict = await verifyTwoFactorCode(systemScope, guess, { sealer, log })
  if (verdict.outcome === 'missing') return toCodeRefusal(codeRequiredError())
  return codeRefusalOf(verdict, { account, actor, now: systemScope.now, wrongCode: wrongLogin })
}

const wrongLogin = (): AppError => unauthorized('The e-mail address, password or code is incorrect')
