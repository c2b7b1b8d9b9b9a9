/**
 * Reset of a forgotten password by a mailed token. The token is valid for one hour and one use, and
 * the reset ends all sessions.
 */
import {
  accountResetRequested,
  emit,
  invalid,
  type passwordOperations,
  success,
} from '@status-page/contracts'
import { asLookup, type SystemScope, transactAsLookup } from '@status-page/postgres'
import { hashToken, randomToken } from '@status-page/secrets'
import type { Call } from '@status-page/service'
import {
  type Account,
  accountByEmail,
  accountById,
  lockAccount,
  markEmailVerified,
  resetFailures,
  setPassword,
} from '../auth/account-store.ts'
import { announceRevoked } from '../auth/credentials.ts'
import { accountAudit, validatePassword } from '../auth/rules.ts'
import { endOtherSessions } from '../auth/session-store.ts'
import { asUser, invalidateEnded } from '../auth/sessions.ts'
import { membershipsOf } from '../auth/store.ts'
import { type AccountOptions, failureKey } from '../auth/verify-password.ts'
import { changeOrRefuse, refuse } from '../two-factor/refusal.ts'
import { countMail } from './mail-limit.ts'
import * as store from './store.ts'

const HOUR_MS = 3_600_000
const TOKEN_LIFETIME_MS = HOUR_MS

/**
 * Returns the same response after the same work for every address; the mail is sent asynchronously.
 */
export const forgot = async (
  call: Call<typeof passwordOperations.forgot>,
  options: AccountOptions,
): Promise<typeof success> => {
  const { email } = call.body
  if (await countMail(options.database, 'reset', email)) {
    sendReset(call, email, options).catch((error: unknown) =>
      call.log.error({ err: error }, 'failed to send a password reset mail'),
    )
  }
  return success
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
  return emit(
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

export const reset = async (
  call: Call<typeof passwordOperations.reset>,
  options: AccountOptions,
): Promise<typeof success> => {
  const { token, newPassword } = call.body
  const tokenHash = hashToken(token)
  const known = await asLookup(options.database, async (systemScope) => {
    const userId = await store.userOfReset(systemScope, tokenHash)
    const account = userId === null ? null : await accountById(systemScope, userId)
    const [membership] = account === null ? [] : await membershipsOf(systemScope, account.id)
    return account === null || membership === undefined ? null : { account, membership }
  })
  if (known === null) throw invalidToken()
  const { account, membership } = known
  const isCommon = await options.isCommon(newPassword)
  validatePassword({ email: account.email, password: newPassword, isCommon }, 'newPassword')
  const passwordHash = await options.passwords.hash(newPassword)
  const by = { organizationId: membership.organizationId, actor: asUser(call, account.id) }
  const ended = await changeOrRefuse(options.database, by, async (systemScope) => {
    await lockAccount(systemScope, account.id)
    if (!(await store.consumeReset(systemScope, tokenHash))) return refuse(invalidToken())
    const result = await replacePassword(systemScope, account, passwordHash)
    return { result, audit: [accountAudit('auth.password_reset', account)] }
  })
  await invalidateEnded(ended, options)
  return success
}

/**
 * Stores the password and resets its failed logins; returns the ended sessions, which are all of
 * them.
 */
const replacePassword = async (
  systemScope: SystemScope,
  { id, email }: Account,
  passwordHash: string,
): Promise<string[]> => {
  await setPassword(systemScope, id, passwordHash)
  // The token arrived by mail, which verifies the address.
  await markEmailVerified(systemScope, id)
  await store.deleteResets(systemScope, id)
  await resetFailures(systemScope, failureKey(email, null))
  const ended = await endOtherSessions(systemScope, {
    userId: id,
    presented: null,
    retainedCount: 0,
  })
  await announceRevoked(systemScope, ended)
  return ended
}

const invalidToken = () => invalid({ field: 'token', message: 'token is unknown, used or expired' })
