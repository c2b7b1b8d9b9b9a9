/** Test mails: to the address of the caller only, at most three per hour. */
import {
  AppError,
  accountTestRequested,
  draftEvent,
  type emailOperations,
} from '@status-page/contracts'
import { asLookup, newId, transactAsLookup } from '@status-page/postgres'
import type { Call } from '@status-page/service'
import { userIdOf } from '../login/credential-change.ts'
import { MAILS_PER_HOUR, waitForMail } from '../password/mail-limit.ts'
import type { AccountOptions } from '../sessions/verify-password.ts'
import { accountById } from '../users/account-store.ts'
import { accountAudit } from '../users/rules.ts'

const LIFETIME_MS = 3_600_000
const SECOND_MS = 1_000

export const sendTestMail = async (
  call: Call<typeof emailOperations.sendTest>,
  { database }: Pick<AccountOptions, 'database'>,
): Promise<{ requestedAt: string }> => {
  const { organizationId, actor } = call
  const userId = userIdOf(call)
  const account = await asLookup(database, (systemScope) => accountById(systemScope, userId))
  if (account === null) throw new AppError('UNAUTHORIZED', 'The account does not exist')
  const waitMs = await waitForMail(database, 'test', account.email)
  if (waitMs > 0) throw tooManyMails(waitMs)
  return transactAsLookup(database, async ({ now }) => {
    const { email, name } = account
    const expiresAt = new Date(now.getTime() + LIFETIME_MS).toISOString()
    const data = { email, name, userId, expiresAt }
    const events = [draftEvent(accountTestRequested, { id: newId(), version: 1 }, data)]
    const audit = [accountAudit('auth.email_test', account)]
    return {
      result: { requestedAt: now.toISOString() },
      organizations: [{ organizationId, actor, events, audit }],
    }
  })
}

const tooManyMails = (waitMs: number): AppError => {
  const retryAfter = Math.ceil(waitMs / SECOND_MS)
  return new AppError(
    'RATE_LIMIT_EXCEEDED',
    `Too many test mails, retry in ${retryAfter} s`,
    { limit: MAILS_PER_HOUR, window: '3600s', retryAfter, bucket: 'account' },
    { 'retry-after': String(retryAfter) },
  )
}
