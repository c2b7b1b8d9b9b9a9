/** Set-up in two steps: a secret that is valid for ten minutes, then its first right code. */
import { conflict, type twoFactorOperations } from '@status-page/contracts'
import { asLookup, type SystemScope } from '@status-page/postgres'
import type { Call } from '@status-page/service'
import type { AccountOptions } from '../sessions/verify-password.ts'
import { hashBackupCode, makeBackupCodes } from '../two-factor/backup-codes.ts'
import { countGuess, decryptTotpSecret, sealContext } from '../two-factor/code.ts'
import { codeRefusalOf, toCodeRefusal, wrongCodeError } from '../two-factor/refusal.ts'
import * as store from '../two-factor/store.ts'
import { findTotpStep, makeTotpSecret, otpauthUrl } from '../two-factor/totp.ts'
import { type Account, lockAccount } from '../users/account-store.ts'
import {
  type CredentialDecision,
  changeCredential,
  verifySessionUser,
} from './credential-change.ts'
import { qrCodeOf } from './qr-code.ts'

const SETUP_LIFETIME_MS = 10 * 60_000

export const setUpTwoFactor = async (
  call: Call<typeof twoFactorOperations.setUp>,
  options: AccountOptions & { issuer: string },
) => {
  const { password } = call.body
  const { account } = await verifySessionUser(call, { password, field: 'password' }, options)
  if (account.twoFactorEnabled) throw alreadyEnabled()
  const secret = makeTotpSecret()
  const url = otpauthUrl({ issuer: options.issuer, account: account.email, secret })
  const picture = await qrCodeOf(url)
  const sealedSecret = options.sealer.seal(secret, sealContext(account.id))
  const expiresAt = await asLookup(options.database, async (systemScope) => {
    const current = await lockAccount(systemScope, account.id)
    if (current?.twoFactorEnabled !== false) throw alreadyEnabled()
    const expiresAt = new Date(systemScope.now.getTime() + SETUP_LIFETIME_MS)
    await store.saveTwoFactorSetup(systemScope, { userId: account.id, sealedSecret, expiresAt })
    return expiresAt
  })
  return { secret, otpauthUrl: url, ...picture, expiresAt: expiresAt.toISOString() }
}

export const confirmTwoFactor = async (
  call: Call<typeof twoFactorOperations.verify>,
  options: AccountOptions,
) => {
  const backupCodes = makeBackupCodes()
  const decide = async (
    systemScope: SystemScope,
    account: Account,
  ): Promise<CredentialDecision<null>> => {
    if (account.twoFactorEnabled) return toCodeRefusal(alreadyEnabled())
    const setup = await store.lockTwoFactorSetup(systemScope, account.id)
    if (setup === null || setup.expiresAt <= systemScope.now)
      return toCodeRefusal(nothingToConfirm())
    const secret = decryptTotpSecret(setup.sealedSecret, account.id, { ...options, log: call.log })
    const { now } = systemScope
    const step = secret === null ? null : findTotpStep({ secret, code: call.body.code, now })
    const guess = await countGuess(systemScope, account.id, async () => step !== null)
    const refused = codeRefusalOf(guess, {
      account,
      actor: call.actor,
      now,
      wrongCode: wrongCodeError,
    })
    if (refused !== null || secret === null || step === null)
      return refused ?? toCodeRefusal(wrongCodeError())
    const { sealedSecret } = setup
    await store.deleteTwoFactorSetup(systemScope, account.id)
    await store.insertSecondFactor(systemScope, {
      userId: account.id,
      sealedSecret,
      lastStep: step,
    })
    const hashes = backupCodeHashesOf(backupCodes, { secret, userId: account.id })
    await store.replaceBackupCodes(systemScope, account.id, hashes)
    return { result: null, action: 'auth.2fa_enable' }
  }
  await changeCredential(call, decide, options)
  return { enabled: true as const, backupCodes }
}

export const backupCodeHashesOf = (
  codes: readonly string[],
  owner: { secret: string; userId: string },
): string[] => codes.map((code) => hashBackupCode(code, owner))

const alreadyEnabled = () =>
  conflict('invalid_state', 'Two-factor authentication is already enabled')

const nothingToConfirm = () =>
  conflict('invalid_state', 'There is no set-up to confirm, or it has expired')
