/** One change: what a rule decided, its events and its audit entries become true in one commit. */
import type { Actor, Outcome } from '@status-page/contracts'
import type { Database } from './connect.ts'
import { faultPoint } from './fault.ts'
import { append, rowsOf } from './outbox.ts'
import { withOneRetry } from './retry.ts'
import { inScope, type Scope, type Tx } from './scope.ts'

export interface TransactionBy {
  organizationId: string
  actor: Actor
  /** Becomes true in the same commit. */
  alongside?: (tx: Tx) => Promise<void>
}

/**
 * Runs `work` in a Scope and records its outcome. After a deadlock `work` runs a second time, so it
 * touches nothing but the Scope. A connection lost during COMMIT is 503: the outcome is unknown.
 */
export const transact = async <T>(
  database: Database,
  { organizationId, actor, alongside }: TransactionBy,
  work: (scope: Scope) => Promise<Outcome<T>>,
): Promise<T> => {
  // A test that kills a request must not be hit by the clock's changes beside it.
  const place = actor.type === 'system' ? 'own-change' : 'change'
  const result = await withOneRetry(() =>
    inScope(database, organizationId, async (scope) => {
      const outcome = await work(scope)
      await record(scope, actor, outcome)
      await alongside?.(scope.tx)
      faultPoint(`${place}.before_commit`)
      return outcome.result
    }),
  )
  faultPoint(`${place}.after_commit`)
  return result
}

/** Appends an outcome's events and audit entries to the outbox. */
export const record = async (
  { tx, organizationId, now }: Scope,
  actor: Actor,
  outcome: Outcome<unknown>,
): Promise<void> => {
  for (const part of partsOf(outcome)) {
    await append(tx, rowsOf(organizationId, now, actor, part))
  }
}

/** So many are written in about ten milliseconds; others come in before the next. */
const FACTS_AT_ONCE = 400

type Facts = Pick<Outcome<unknown>, 'events' | 'audit'>

/** Nearly always one. */
const partsOf = ({ events, audit }: Facts): Facts[] => {
  if (events.length + audit.length <= FACTS_AT_ONCE) return [{ events, audit }]
  return [
    ...partOf(events).map((part) => ({ events: part, audit: [] })),
    ...partOf(audit).map((part) => ({ events: [], audit: part })),
  ]
}

const partOf = <Fact>(facts: readonly Fact[]): Fact[][] =>
  Array.from({ length: Math.ceil(facts.length / FACTS_AT_ONCE) }, (_, index) =>
    facts.slice(index * FACTS_AT_ONCE, (index + 1) * FACTS_AT_ONCE),
  )
