/**
 * Verification of second factors: each code is valid once, and wrong codes lock the account for a
 * while. Codes are verified in the transaction of the operation that requires them.
 */

import { PLATFORM_ORGANIZATION_ID } from '@status-page/contracts'
import type { SystemScope } from '@status-page/postgres'
import { type SealContext, SealError, type Sealer } from '@status-page/secrets'
import type { Logger } from '@status-page/service'
import { hashBackupCode, isBackupCode } from './backup-codes.ts'
import { type CodeLock, countWrongCode, longestCodeLock } from './code-limits.ts'
import * as store from './store.ts'
import { findTotpStep } from './totp.ts'

export type CodeGuess =
  | { outcome: 'right' }
  | { outcome: 'wrong'; shouldWarn: boolean }
  | { outcome: 'locked'; lock: CodeLock }

export type CodeVerdict = CodeGuess | { outcome: 'missing' } | { outcome: 'not_enabled' }

export interface CodeOptions {
  sealer: Sealer
  log: Pick<Logger, 'error'>
}

/** Encryption context of a user's secret; accounts belong to no tenant. */
export const sealContext = (userId: string): SealContext => ({
  organizationId: PLATFORM_ORGANIZATION_ID,
  purpose: 'totp',
  recordId: userId,
})

/** Verifies a code or a backup code and consumes it. */
export const verifyTwoFactorCode = async (
  systemScope: SystemScope,
  { userId, code }: { userId: string; code: string | undefined },
  options: CodeOptions,
): Promise<CodeVerdict> => {
  const factor = await store.lockSecondFactor(systemScope, userId)
  if (factor === null) return { outcome: 'not_enabled' }
  if (code === undefined) return { outcome: 'missing' }
  return countGuess(systemScope, userId, async () => {
    const secret = decryptTotpSecret(factor.sealedSecret, userId, options)
    if (secret === null || !(await consumeCode(systemScope, { userId, code, secret }))) return false
    if (options.sealer.isStale(factor.sealedSecret)) {
      const sealed = options.sealer.seal(secret, sealContext(userId))
      await store.replaceSealedSecret(systemScope, userId, sealed)
    }
    return true
  })
}

/**
 * Counts an attempt. During a lock a right code gets the same response as a wrong one, and a wrong
 * code is not counted.
 */
export const countGuess = async (
  systemScope: SystemScope,
  userId: string,
  guess: () => Promise<boolean>,
): Promise<CodeGuess> => {
  const failures = await store.lockCodeFailures(systemScope, userId)
  const lock = longestCodeLock(failures, systemScope.now)
  if (lock !== null) return { outcome: 'locked', lock }
  if (await guess()) return { outcome: 'right' }
  const { next, shouldWarn } = countWrongCode(failures, systemScope.now)
  await store.saveCodeFailures(systemScope, userId, next)
  return { outcome: 'wrong', shouldWarn }
}

/**
 * Opens a sealed secret. A failure means tampering or a lost key: it is logged as an error and the
 * code is refused.
 */
export const decryptTotpSecret = (
  sealed: string,
  userId: string,
  { sealer, log }: CodeOptions,
): string | null => {
  try {
    return sealer.open(sealed, sealContext(userId))
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    log.error({ err: error, alarm: 'sealed_record', userId }, 'failed to decrypt a second factor')
    return null
  }
}

const consumeCode = async (
  systemScope: SystemScope,
  { userId, code, secret }: { userId: string; code: string; secret: string },
): Promise<boolean> => {
  const step = findTotpStep({ secret, code, now: systemScope.now })
  if (step !== null) return store.consumeTotpStep(systemScope, userId, step)
  if (!isBackupCode(code)) return false
  return store.consumeBackupCode(systemScope, userId, hashBackupCode(code, { secret, userId }))
}
