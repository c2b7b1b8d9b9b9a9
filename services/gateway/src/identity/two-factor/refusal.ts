/** Refusal of a code: the failure is recorded, and the third one triggers a warning mail. */
import {
  type Actor,
  AppError,
  type AuditDraft,
  accountWarned,
  draftEvent,
  type EventDraft,
  invalid,
} from '@status-page/contracts'
import { type Database, newId, type SystemScope, transactAsLookup } from '@status-page/postgres'
import { accountLockedError } from '../sessions/verify-password.ts'
import type { Account } from '../users/account-store.ts'
import { accountAudit } from '../users/rules.ts'
import type { CodeVerdict } from './code.ts'

/**
 * Refusal that is committed although the response is an error, because a rolled-back failure would
 * not count.
 */
export interface CodeRefusal {
  refusal: AppError
  events: EventDraft[]
  audit: AuditDraft[]
}

export const toCodeRefusal = (refusal: AppError): CodeRefusal => ({
  refusal,
  events: [],
  audit: [],
})

/**
 * Error for a missing code. Only callers that passed the first proof receive it, so that it reveals
 * no second factor to others.
 */
export const codeRequiredError = (): AppError =>
  new AppError('TWO_FACTOR_REQUIRED', 'A two-factor code is required', undefined, {
    'www-authenticate': 'Bearer',
  })

export const wrongCodeError = (): AppError =>
  invalid({ field: 'code', message: 'code is incorrect' })

interface Decision<T> {
  result: T
  audit: AuditDraft[]
  events?: EventDraft[]
}

/** Commits the decision, and throws the error of a refusal afterwards. */
export const commitThenThrowRefusal = async <T>(
  database: Database,
  by: { organizationId: string; actor: Actor },
  work: (systemScope: SystemScope) => Promise<Decision<T> | CodeRefusal>,
): Promise<T> => {
  const decided = await transactAsLookup(database, async (systemScope) => {
    const decision = await work(systemScope)
    const { events = [] } = decision
    return { result: decision, organizations: [{ ...by, events, audit: decision.audit }] }
  })
  if ('refusal' in decided) throw decided.refusal
  return decided.result
}

export interface CodeAttempt {
  account: Account
  actor: Actor
  now: Date
  /** Error for a wrong code. */
  wrongCode: () => AppError
}

/** Returns the refusal of a wrong code or a locked account; null otherwise. */
export const codeRefusalOf = (
  verdict: CodeVerdict,
  { account, actor, now, wrongCode }: CodeAttempt,
): CodeRefusal | null => {
  if (verdict.outcome === 'locked') return toCodeRefusal(accountLockedError(verdict.lock))
  if (verdict.outcome !== 'wrong') return null
  return {
    refusal: wrongCode(),
    events: verdict.shouldWarn ? [warnedOf(account, actor, now)] : [],
    audit: [accountAudit('auth.login_failed', account)],
  }
}

const warnedOf = ({ id, email, name }: Account, { ipAddress }: Actor, now: Date): EventDraft =>
  draftEvent(
    accountWarned,
    { id: newId(), version: 1 },
    {
      email,
      name,
      userId: id,
      warning: 'two_factor_guessed',
      ipAddress,
      at: now.toISOString(),
    },
  )
