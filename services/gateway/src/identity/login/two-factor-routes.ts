/** Second factor over HTTP: set-up, confirmation by the first code, backup codes, and removal. */
import { conflict, forbidden, successReply, twoFactorOperations } from '@status-page/contracts'
import { asLookup, type SystemScope } from '@status-page/postgres'
import { type Call, createRoutes, type Route } from '@status-page/service'
import type { AccountOptions } from '../sessions/verify-password.ts'
import { makeBackupCodes } from '../two-factor/backup-codes.ts'
import { sealContext, verifyTwoFactorCode } from '../two-factor/code.ts'
import {
  type CodeRefusal,
  codeRefusalOf,
  toCodeRefusal,
  wrongCodeError,
} from '../two-factor/refusal.ts'
import * as store from '../two-factor/store.ts'
import type { Account } from '../users/account-store.ts'
import { membershipsOf } from '../users/membership-store.ts'
import { changeCredential, userIdOf, verifySessionUser } from './credential-change.ts'
import { checkTwoFactor } from './login.ts'
import { backupCodeHashesOf, confirmTwoFactor, setUpTwoFactor } from './two-factor-set-up.ts'

export const twoFactorRoutes = (options: AccountOptions & { issuer: string }): Route[] =>
  createRoutes(twoFactorOperations, {
    check: (call) => checkTwoFactor(call, options),
    read: (call) => readTwoFactor(call, options),
    setUp: (call) => setUpTwoFactor(call, options),
    verify: (call) => confirmTwoFactor(call, options),
    renewBackupCodes: (call) => renewBackupCodes(call, options),
    disable: (call) => disableTwoFactor(call, options),
  })

export const renewBackupCodes = async (
  call: Call<typeof twoFactorOperations.renewBackupCodes>,
  options: AccountOptions,
) => {
  const backupCodes = makeBackupCodes()
  await withPasswordAndCode(call, options, async (systemScope, { id }) => {
    const factor = await store.lockSecondFactor(systemScope, id)
    const secret = options.sealer.open(factor?.sealedSecret ?? '', sealContext(id))
    const hashes = backupCodeHashesOf(backupCodes, { secret, userId: id })
    await store.replaceBackupCodes(systemScope, id, hashes)
    return 'auth.backup_codes'
  })
  return { backupCodes }
}

export const disableTwoFactor = async (
  call: Call<typeof twoFactorOperations.disable>,
  options: AccountOptions,
) => {
  await validateRequired(call, options)
  await withPasswordAndCode(call, options, async (systemScope, { id }) => {
    await store.deleteSecondFactor(systemScope, id)
    return 'auth.2fa_disable'
  })
  return successReply
}

export const readTwoFactor = (call: Call, { database }: AccountOptions) =>
  asLookup(database, async (systemScope) => {
    const { enabledAt, backupCodesRemaining } = await store.secondFactorState(
      systemScope,
      userIdOf(call),
    )
    return {
      enabled: enabledAt !== null,
      enabledAt: enabledAt?.toISOString() ?? null,
      backupCodesRemaining,
    }
  })

type PasswordAndCodeCall = Call<
  typeof twoFactorOperations.disable | typeof twoFactorOperations.renewBackupCodes
>

const withPasswordAndCode = async (
  call: PasswordAndCodeCall,
  options: AccountOptions,
  work: (
    systemScope: SystemScope,
    account: Account,
  ) => Promise<'auth.backup_codes' | 'auth.2fa_disable'>,
): Promise<void> => {
  const { password, code } = call.body
  await verifySessionUser(call, { password, field: 'password' }, options)
  await changeCredential(
    call,
    async (systemScope, account) => {
      const refused = await refusedCode(systemScope, call, account, { options, code })
      return refused ?? { result: null, action: await work(systemScope, account) }
    },
    options,
  )
}

const refusedCode = async (
  systemScope: SystemScope,
  { actor, log }: Call,
  account: Account,
  { options, code }: { options: AccountOptions; code: string },
): Promise<CodeRefusal | null> => {
  const guess = { userId: account.id, code }
  const verdict = await verifyTwoFactorCode(systemScope, guess, { sealer: options.sealer, log })
  if (verdict.outcome === 'not_enabled') {
    return toCodeRefusal(conflict('invalid_state', 'Two-factor authentication is not enabled'))
  }
  return codeRefusalOf(verdict, { account, actor, now: systemScope.now, wrongCode: wrongCodeError })
}

/** Refuses the removal while an organization of the user requires a second factor. */
const validateRequired = async (call: Call, { database }: AccountOptions): Promise<void> => {
  const memberships = await asLookup(database, (systemScope) =>
    membershipsOf(systemScope, userIdOf(call)),
  )
  if (!memberships.some(({ require2fa }) => require2fa)) return
  throw forbidden(
    'two_factor_enrolment_required',
    'One of your organizations requires two-factor authentication',
  )
}
