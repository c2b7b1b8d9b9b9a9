/**
 * Verification of a password. An attempt is counted before the password is compared; an unknown
 * account and a wrong password take the same time. The second factor is checked by the caller.
 */
import { AppError } from '@status-page/contracts'
import { asLookup, type Database, transact } from '@status-page/postgres'
import { type Passwords, type Sealer, sha256 } from '@status-page/secrets'
import type { Call } from '@status-page/service'
import * as accounts from '../users/account-store.ts'
import type { IsCommonPassword } from '../users/common-passwords.ts'
import { countLoginAttempt, FAILURE_WINDOW_MS, MAX_FAILURES } from '../users/login-delay.ts'
import { type Membership, membershipsOf } from '../users/membership-store.ts'
import { accountAudit } from '../users/rules.ts'
import type { DeviceCookie } from './device-cookie.ts'
import type { SessionOptions } from './sessions.ts'

export interface AccountOptions extends SessionOptions {
  passwords: Passwords
  device: DeviceCookie
  sealer: Sealer
  isCommon: IsCommonPassword
}

export interface VerifiedLogin {
  account: accounts.Account
  /** Membership whose organization records the audit entries. */
  membership: Membership
  /** All memberships, oldest first; a login selects the first that admits a password. */
  memberships: Membership[]
}

/** Returns null for an unknown account, a wrong password, and an account without a membership. */
export const verifyPassword = async (
  call: Call,
  { email, password }: { email: string; password: string },
  { database, passwords, device }: AccountOptions,
): Promise<VerifiedLogin | null> => {
  // Counted for unknown addresses too, so that neither response nor duration reveals an account.
  const key = loginFailureKey(email, device.read(call.headers.cookie as string | undefined, email))
  await countAttempt(database, key)
  const { account, memberships } = await asLookup(database, async (systemScope) => {
    const account = await accounts.accountByEmail(systemScope, email)
    const memberships = account === null ? [] : await membershipsOf(systemScope, account.id)
    return { account, memberships }
  })
  const [membership] = memberships
  const isCorrect = await passwords.matches(password, account?.passwordHash ?? null)
  if (account === null || membership === undefined) return null
  if (!isCorrect) {
    recordLoginFailure(call, database, { account, membership, memberships })
    return null
  }
  await asLookup(database, (systemScope) => accounts.resetLoginFailures(systemScope, key))
  return { account, membership, memberships }
}

/** Key of the failure count; a known device has a count of its own. */
export const loginFailureKey = (email: string, device: string | null): string =>
  sha256(JSON.stringify([email, device]))

const countAttempt = async (database: Database, key: string): Promise<void> => {
  const decision = await asLookup(database, async (systemScope) => {
    const verdict = countLoginAttempt(
      await accounts.lockLoginFailures(systemScope, key),
      systemScope.now,
    )
    if (verdict.allowed) await accounts.saveLoginFailures(systemScope, key, verdict.next)
    return verdict
  })
  if (decision.allowed) return
  throw accountLockedError({
    count: MAX_FAILURES,
    windowMs: FAILURE_WINDOW_MS,
    retryAfterMs: decision.retryAfterMs,
  })
}

const SECOND_MS = 1_000

export const accountLockedError = (lock: {
  count: number
  windowMs: number
  retryAfterMs: number
}): AppError => {
  const retryAfter = Math.max(1, Math.ceil(lock.retryAfterMs / SECOND_MS))
  return new AppError(
    'RATE_LIMIT_EXCEEDED',
    `Too many failed logins, retry in ${retryAfter} s`,
    {
      limit: lock.count,
      window: `${lock.windowMs / SECOND_MS}s`,
      retryAfter,
      bucket: 'account',
    },
    { 'retry-after': String(retryAfter) },
  )
}

/**
 * Records a failed login without awaiting it, because the response for a known account would
 * otherwise take longer than for an unknown one.
 */
export const recordLoginFailure = (
  call: Call,
  database: Database,
  { account, membership: { organizationId } }: VerifiedLogin,
): void => {
  const actor = { ...call.actor, type: 'user' as const }
  transact(database, { organizationId, actor }, async () => ({
    result: null,
    events: [],
    audit: [accountAudit('auth.login_failed', account)],
  })).catch((error: unknown) => call.log.error({ err: error }, 'failed to record a failed login'))
}
