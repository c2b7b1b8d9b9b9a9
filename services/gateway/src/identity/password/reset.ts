/**
 * Reset of a forgotten password by a mailed token. The token is valid for one hour and one use, and
 * the reset ends all sessions.
 */
import {
  accountResetRequested,
  draftEvent,
  invalid,
  type passwordOperations,
  successReply,
} from '@status-page/contracts'
import { asLookup, type SystemScope, transactAsLookup } from '@status-page/postgres'
import { hashToken, randomToken } from '@status-page/secrets'
import type { Call } from '@status-page/service'
import { publishRevocations } from '../sessions/credentials.ts'
import { endOtherSessions } from '../sessions/session-store.ts'
import { invalidateEndedSessions, userActorOf } from '../sessions/sessions.ts'
import { type AccountOptions, loginFailureKey } from '../sessions/verify-password.ts'
import { commitThenThrowRefusal, toCodeRefusal } from '../two-factor/refusal.ts'
import {
  type Account,
  accountByEmail,
  accountById,
  lockAccount,
  resetLoginFailures,
  setPassword,
} from '../users/account-store.ts'
import { membershipsOf } from '../users/membership-store.ts'
import { accountAudit, validatePassword } from '../users/rules.ts'
import { countMail } from './mail-limit.ts'
import * as store from './store.ts'

const HOUR_MS = 3_600_000
const TOKEN_LIFETIME_MS = HOUR_MS

/**
 * Returns the same response after the same work for every address; the mail is sent asynchronously.
 */
export const requestPasswordReset = async (
  call: Call<typeof passwordOperations.forgot>,
  options: AccountOptions,
): Promise<typeof successReply> => {
  const { email } = call.body
  if (await countMail(options.database, 'reset', email)) {
    sendReset(call, email, options).catch((error: unknown) =>
      call.log.error({ err: error }, 'failed to send a password reset mail'),
    )
  }
  return successReply
}

/**
 * Sends the mail to accounts with a password. Accounts without one log in through an identity
 * provider, which may have disabled the user.
 */
const sendReset = ({ actor }: Call, email: string, options: AccountOptions): Promise<null> =>
  transactAsLookup(options.database, async (systemScope) => {
    const account = await accountByEmail(systemScope, email)
    const [membership] = account === null ? [] : await membershipsOf(systemScope, account.id)
    if (account === null || account.passwordHash === null || membership === undefined) {
      return { result: null, organizations: [] }
    }
    const { organizationId } = membership
    const events = [await requestReset(systemScope, account, { organizationId, ...options })]
    return { result: null, organizations: [{ organizationId, actor, events, audit: [] }] }
  })

const requestReset = async (
  systemScope: SystemScope,
  account: Account,
  { organizationId, sealer }: AccountOptions & { organizationId: string },
) => {
  const token = randomToken()
  const expiresAt = new Date(systemScope.now.getTime() + TOKEN_LIFETIME_MS)
  const reset = { userId: account.id, tokenHash: hashToken(token), expiresAt }
  const recordId = await store.insertReset(systemScope, reset)
  return draftEvent(
    accountResetRequested,
    { id: recordId, version: 1 },
    {
      email: account.email,
      name: account.name,
      userId: account.id,
      sealedToken: sealer.seal(token, { organizationId, purpose: 'mail-token', recordId }),
      expiresAt: expiresAt.toISOString(),
    },
  )
}

export const resetPassword = async (
  call: Call<typeof passwordOperations.reset>,
  options: AccountOptions,
): Promise<typeof successReply> => {
  const { token, newPassword } = call.body
  const tokenHash = hashToken(token)
  const owner = await asLookup(options.database, async (systemScope) => {
    const userId = await store.userIdOfResetToken(systemScope, tokenHash)
    const account = userId === null ? null : await accountById(systemScope, userId)
    const [membership] = account === null ? [] : await membershipsOf(systemScope, account.id)
    return account === null || membership === undefined ? null : { account, membership }
  })
  if (owner === null) throw invalidToken()
  const { account, membership } = owner
  const isCommon = await options.isCommon(newPassword)
  validatePassword({ email: account.email, password: newPassword, isCommon }, 'newPassword')
  const passwordHash = await options.passwords.hash(newPassword)
  const by = { organizationId: membership.organizationId, actor: userActorOf(call, account.id) }
  const ended = await commitThenThrowRefusal(options.database, by, async (systemScope) => {
    await lockAccount(systemScope, account.id)
    if (!(await store.consumeReset(systemScope, tokenHash))) return toCodeRefusal(invalidToken())
    const result = await replacePassword(systemScope, account, passwordHash)
    return { result, audit: [accountAudit('auth.password_reset', account)] }
  })
  await invalidateEndedSessions(ended, options)
  return successReply
}

/**
 * Stores the password and resets its failed logins; returns the ended sessions, which are all of
 * them. The address stays unverified: another person may have registered it with a second factor and API keys,
 * and its owner must still be able to claim the address by an invitation or single sign-on.
 */
const replacePassword = async (
  systemScope: SystemScope,
  { id, email }: Account,
  passwordHash: string,
): Promise<string[]> => {
  await setPassword(systemScope, id, passwordHash)
  await store.deleteResets(systemScope, id)
  await resetLoginFailures(systemScope, loginFailureKey(email, null))
  const ended = await endOtherSessions(systemScope, {
    userId: id,
    presented: null,
    retainedCount: 0,
  })
  await publishRevocations(systemScope, ended)
  return ended
}

const invalidToken = () => invalid({ field: 'token', message: 'token is unknown, used or expired' })
