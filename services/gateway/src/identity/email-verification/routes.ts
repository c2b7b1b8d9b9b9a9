/**
 * Verification of the caller's address over HTTP, by the token of a mail that can be requested
 * again.
 */
import { emailOperations, invalid, successReply } from '@status-page/contracts'
import { asLookup, transactAsLookup } from '@status-page/postgres'
import { hashToken } from '@status-page/secrets'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { userIdOf } from '../login/credential-change.ts'
import { countMail } from '../password/mail-limit.ts'
import type { AccountOptions } from '../sessions/verify-password.ts'
import { accountById, lockAccount, markEmailVerified } from '../users/account-store.ts'
import { accountAudit } from '../users/rules.ts'
import { requestVerification } from './request.ts'
import { consumeVerification, deleteVerifications } from './store.ts'
import { sendTestMail } from './test-mail.ts'

export const emailRoutes = (options: AccountOptions): Route[] =>
  createRoutes(emailOperations, {
    verify: (call) => verify(call, options),
    requestVerification: (call) => resendVerification(call, options),
    sendTest: (call) => sendTestMail(call, options),
  })

/**
 * Verifies the address with the token and a session of the account. The token alone would let the
 * owner of a mailbox verify an account that a stranger registered.
 */
export const verify = (
  call: Call<typeof emailOperations.verify>,
  { database }: AccountOptions,
): Promise<typeof successReply> => {
  const userId = userIdOf(call)
  const tokenHash = hashToken(call.body.token)
  return transactAsLookup(database, async (systemScope) => {
    const account = await lockAccount(systemScope, userId)
    if (account === null || !(await consumeVerification(systemScope, { userId, tokenHash }))) {
      throw invalid({ field: 'token', message: 'token is unknown, used or expired' })
    }
    await markEmailVerified(systemScope, userId)
    await deleteVerifications(systemScope, userId)
    const { organizationId, actor } = call
    const audit = [accountAudit('auth.email_verify', account)]
    return { result: successReply, organizations: [{ organizationId, actor, events: [], audit }] }
  })
}

export const resendVerification = async (
  call: Call<typeof emailOperations.requestVerification>,
  { database, sealer }: AccountOptions,
): Promise<typeof successReply> => {
  const { organizationId, actor } = call
  const account = await asLookup(database, (systemScope) =>
    accountById(systemScope, userIdOf(call)),
  )
  if (account === null || account.emailVerifiedAt !== null) return successReply
  if (!(await countMail(database, 'verification', account.email))) return successReply
  return transactAsLookup(database, async (systemScope) => {
    const events = [await requestVerification(systemScope, account, { organizationId, sealer })]
    return { result: successReply, organizations: [{ organizationId, actor, events, audit: [] }] }
  })
}
