/**
 * Transaction of one organization: commits the changes of `work`, its events and its audit entries
 * together.
 */
import type { Actor, Outcome } from '@status-page/contracts'
import type { Database } from './connect.ts'
import { faultPoint } from './fault.ts'
import { append, rowsOf } from './outbox.ts'
import { withOneRetry } from './retry.ts'
import { inScope, type Scope, type Tx } from './scope.ts'

export interface TransactionBy {
  organizationId: string
  actor: Actor
  /** Runs in the same transaction. */
  alongside?: (tx: Tx) => Promise<void>
}

/**
 * Runs `work` in a Scope and records its outcome. After a deadlock `work` runs a second time, so it
 * must affect nothing outside of the Scope. A connection lost during COMMIT is 503: the outcome is
 * unknown.
 */
export const transact = async <T>(
  database: Database,
  { organizationId, actor, alongside }: TransactionBy,
  work: (scope: Scope) => Promise<Outcome<T>>,
): Promise<T> => {
  // Separate names, so that a test that kills a request does not hit a concurrent job.
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

/** Outbox rows per insert, about 10 ms, so that other queries can interleave. */
const FACTS_AT_ONCE = 400

type Facts = Pick<Outcome<unknown>, 'events' | 'audit'>

/** Splits an outcome into batches; nearly always one. */
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
