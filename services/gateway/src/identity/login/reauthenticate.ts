/** Reauthentication before an irreversible operation: by second factor, or by password. */
import { forbidden, invalid, unauthorized } from '@status-page/contracts'
import { asLookup } from '@status-page/postgres'
import type { Call } from '@status-page/service'
import type { AccountOptions } from '../sessions/verify-password.ts'
import { verifyTwoFactorCode } from '../two-factor/code.ts'
import { codeRefusalOf, commitThenThrowRefusal, wrongCodeError } from '../two-factor/refusal.ts'
import { accountById, lockAccount } from '../users/account-store.ts'
import { userIdOf, verifySessionUser } from './credential-change.ts'

export interface ReauthenticationInput {
  password?: string
  code?: string
}

/** Requires a code of accounts with a second factor, and the password of all others. */
export const reauthenticate = async (
  call: Call,
  { password, code }: ReauthenticationInput,
  options: AccountOptions,
): Promise<void> => {
  const userId = userIdOf(call)
  const account = await asLookup(options.database, (systemScope) =>
    accountById(systemScope, userId),
  )
  if (account === null) throw unauthorized()
  if (account.twoFactorEnabled) return verifyCode(call, code, options)
  if (account.passwordHash === null) {
    throw forbidden('credential_required', 'Set a password or a second factor first')
  }
  if (password === undefined) throw invalid({ field: 'password', message: 'password is required' })
  await verifySessionUser(call, { password, field: 'password' }, options)
}

const verifyCode = async (
  call: Call,
  code: string | undefined,
  { database, sealer }: AccountOptions,
): Promise<void> => {
  if (code === undefined) throw invalid({ field: 'code', message: 'code is required' })
  const { organizationId, actor, log } = call
  await commitThenThrowRefusal(database, { organizationId, actor }, async (systemScope) => {
    const account = await lockAccount(systemScope, userIdOf(call))
    if (account === null) throw unauthorized()
    const verdict = await verifyTwoFactorCode(
      systemScope,
      { userId: account.id, code },
      { sealer, log },
    )
    const { now } = systemScope
    const refused = codeRefusalOf(verdict, { account, actor, now, wrongCode: wrongCodeError })
    return refused ?? { result: null, audit: [] }
  })
}
