/** A forgotten password: a mail with a token that works once, within the hour, and ends all sessions. */
import {
  accountResetRequested,
  emit,
  invalid,
  type passwordOperations,
  success,
} from '@status-page/contracts'
import { type Crossing, changeLookup, crossLookup } from '@status-page/postgres'
import { hashToken, randomToken } from '@status-page/secrets'
import type { Call } from '@status-page/service'
import {
  type Account,
  accountByEmail,
  accountById,
  forgetFailures,
  lockAccount,
  markEmailVerified,
  setPassword,
} from '../auth/account-store.ts'
import { announceRevoked } from '../auth/credentials.ts'
import { type AccountOptions, failureKey } from '../auth/proof.ts'
import { aboutAccount, judgePassword } from '../auth/rules.ts'
import { endOtherSessions } from '../auth/session-store.ts'
import { asUser, forgetEnded } from '../auth/sessions.ts'
import { membershipsOf } from '../auth/store.ts'
import { changeOrRefuse, refuse } from '../two-factor/refusal.ts'
import { countMail } from './mail-limit.ts'
import * as store from './store.ts'

const HOUR_MS = 3_600_000
const TOKEN_LIFETIME_MS = HOUR_MS

/** The same answer, after the same work, for every address; the rest is not waited for. */
export const forgot = async (
  call: Call<typeof passwordOperations.forgot>,
  options: AccountOptions,
): Promise<typeof success> => {
  const { email } = call.body
  if (await countMail(options.database, 'reset', email)) {
    sendReset(call, email, options).catch((error: unknown) =>
      call.log.error({ err: error }, 'a reset mail was not handed over'),
    )
  }
  return success
}

/** An account without a password logs in at its provider, which may have closed it. */
const sendReset = ({ actor }: Call, email: string, options: AccountOptions): Promise<null> =>
  changeLookup(options.database, async (crossing) => {
    const account = await accountByEmail(crossing, email)
    const [membership] = account === null ? [] : await membershipsOf(crossing, account.id)
    if (account === null || account.passwordHash === null || membership === undefined) {
      return { result: null, organizations: [] }
    }
    const { organizationId } = membership
    const events = [await requestReset(crossing, account, { organizationId, ...options })]
    return { result: null, organizations: [{ organizationId, actor, events, audit: [] }] }
  })

const requestReset = async (
  crossing: Crossing,
  account: Account,
  { organizationId, sealer }: AccountOptions & { organizationId: string },
) => {
  const token = randomToken()
  const expiresAt = new Date(crossing.now.getTime() + TOKEN_LIFETIME_MS)
  const reset = { userId: account.id, tokenHash: hashToken(token), expiresAt }
  const recordId = await store.insertReset(crossing, reset)
  return emit(
    accountResetRequested,
    { id: recordId, version: 1 },
    {
      ...{ email: account.email, name: account.name, userId: account.id },
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
  const known = await crossLookup(options.database, async (crossing) => {
    const userId = await store.userOfReset(crossing, tokenHash)
    const account = userId === null ? null : await accountById(crossing, userId)
    const [membership] = account === null ? [] : await membershipsOf(crossing, account.id)
    return account === null || membership === undefined ? null : { account, membership }
  })
  if (known === null) throw badToken()
  const { account, membership } = known
  const isCommon = await options.isCommon(newPassword)
  judgePassword({ email: account.email, password: newPassword, isCommon }, 'newPassword')
  const passwordHash = await options.passwords.hash(newPassword)
  const by = { organizationId: membership.organizationId, actor: asUser(call, account.id) }
  const ended = await changeOrRefuse(options.database, by, async (crossing) => {
    await lockAccount(crossing, account.id)
    if (!(await store.useReset(crossing, tokenHash))) return refuse(badToken())
    const result = await replacePassword(crossing, account, passwordHash)
    return { result, audit: [aboutAccount('auth.password_reset', account)] }
  })
  await forgetEnded(ended, options)
  return success
}

/** Answers the sessions that ended: all of them. Whoever guessed the old password starts anew. */
const replacePassword = async (
  crossing: Crossing,
  { id, email }: Account,
  passwordHash: string,
): Promise<string[]> => {
  await setPassword(crossing, id, passwordHash)
  // The token came by mail.
  await markEmailVerified(crossing, id)
  await store.deleteResets(crossing, id)
  await forgetFailures(crossing, failureKey(email, null))
  const ended = await endOtherSessions(crossing, { userId: id, presented: null, keep: 0 })
  await announceRevoked(crossing, ended)
  return ended
}

const badToken = () => invalid({ field: 'token', message: 'token is unknown, used or expired' })
