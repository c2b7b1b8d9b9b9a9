/** The second factor over HTTP: set-up, its first right code, backup codes, and the way back. */
import { conflict, forbidden, success, twoFactorOperations } from '@status-page/contracts'
import { type Crossing, crossLookup } from '@status-page/postgres'
import { type Call, type Route, route } from '@status-page/service'
import type { Account } from '../auth/account-store.ts'
import { changeCredential, proveOwner, userIdOf } from '../auth/credential-change.ts'
import { checkTwoFactor } from '../auth/login.ts'
import type { AccountOptions } from '../auth/proof.ts'
import { membershipsOf } from '../auth/store.ts'
import { makeBackupCodes } from './backup-codes.ts'
import { judgeCode, sealContext } from './code.ts'
import { type Refusal, refusalOf, refuse } from './refusal.ts'
import { confirm, hashesOf, setUp, wrongCode } from './set-up.ts'
import * as store from './store.ts'

export const twoFactorRoutes = (options: AccountOptions & { issuer: string }): Route[] =>
  route(twoFactorOperations, {
    check: (call) => checkTwoFactor(call, options),
    read: (call) => read(call, options),
    setUp: (call) => setUp(call, options),
    verify: (call) => confirm(call, options),

    async renewBackupCodes(call) {
      const backupCodes = makeBackupCodes()
      await withPasswordAndCode(call, options, async (crossing, { id }) => {
        const factor = await store.lockFactor(crossing, id)
        const secret = options.sealer.open(factor?.sealedSecret ?? '', sealContext(id))
        const hashes = hashesOf(backupCodes, { secret, userId: id })
        await store.replaceBackupCodes(crossing, id, hashes)
        return 'auth.backup_codes'
      })
      return { backupCodes }
    },

    async disable(call) {
      await judgeRequired(call, options)
      await withPasswordAndCode(call, options, async (crossing, { id }) => {
        await store.deleteFactor(crossing, id)
        return 'auth.2fa_disable'
      })
      return success
    },
  })

const read = (call: Call, { database }: AccountOptions) =>
  crossLookup(database, async (crossing) => {
    const { enabledAt, backupCodesRemaining } = await store.factorState(crossing, userIdOf(call))
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
  work: (crossing: Crossing, account: Account) => Promise<'auth.backup_codes' | 'auth.2fa_disable'>,
): Promise<void> => {
  const { password, code } = call.body
  await proveOwner(call, { password, field: 'password' }, options)
  await changeCredential(
    call,
    async (crossing, account) => {
      const refused = await judged(crossing, call, account, { options, code })
      return refused ?? { result: null, action: await work(crossing, account) }
    },
    options,
  )
}

const judged = async (
  crossing: Crossing,
  { actor, log }: Call,
  account: Account,
  { options, code }: { options: AccountOptions; code: string },
): Promise<Refusal | null> => {
  const asked = { userId: account.id, code }
  const verdict = await judgeCode(crossing, asked, { sealer: options.sealer, log })
  if (verdict.outcome === 'not_enabled') {
    return refuse(conflict('invalid_state', 'Two-factor authentication is not enabled'))
  }
  return refusalOf(verdict, { account, actor, now: crossing.now, wrong: wrongCode })
}

/** Nobody steps below what one of their organizations asks for. */
const judgeRequired = async (call: Call, { database }: AccountOptions): Promise<void> => {
  const memberships = await crossLookup(database, (crossing) =>
    membershipsOf(crossing, userIdOf(call)),
  )
  if (!memberships.some(({ require2fa }) => require2fa)) return
  throw forbidden(
    'two_factor_enrolment_required',
    'An organization of yours requires two-factor authentication',
  )
}
