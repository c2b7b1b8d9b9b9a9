/**
 * Transaction of one organization: commits the changes of `work`, its events and its audit entries
 * together.
 */
import {
  type Actor,
  type OutcomeDrafts,
  systemActor,
  type TransactionOutcome,
} from '@status-page/contracts'
import { chunksOf } from './chunks.ts'
import type { Database } from './connect.ts'
import type { Tx } from './driver.ts'
import { faultPoint } from './fault.ts'
import { appendToOutbox, outboxRowsOf } from './outbox.ts'
import { withOneRetry } from './retry.ts'
import { inScope, type Scope } from './scope.ts'

export interface TransactionContext {
  organizationId: string
  actor: Actor
  /** Additional writes in the same transaction. */
  alongside?: (tx: Tx) => Promise<void>
}

/**
 * Runs `work` in a Scope and records its outcome. After a deadlock `work` runs a second time, so it
 * must affect nothing outside of the Scope. A connection lost during COMMIT is 503: the outcome is
 * unknown.
 */
export const transact = async <T>(
  database: Database,
  { organizationId, actor, alongside }: TransactionContext,
  work: (scope: Scope) => Promise<TransactionOutcome<T>>,
): Promise<T> => {
  // Separate names, so that a test that kills a request does not hit a concurrent job.
  const prefix = actor.type === 'system' ? 'own-change' : 'change'
  const result = await withOneRetry(() =>
    inScope(database, organizationId, async (scope) => {
      const outcome = await work(scope)
      if (outcome.events !== undefined) await recordDrafts(scope, actor, outcome)
      await alongside?.(scope.tx)
      faultPoint(`${prefix}.before_commit`)
      return outcome.result
    }),
  )
  faultPoint(`${prefix}.after_commit`)
  return result
}

/** Runs `work` in a transaction without events and audit entries. */
export const write = <T>(
  database: Database,
  { organizationId }: Pick<TransactionContext, 'organizationId'>,
  work: (scope: Scope) => Promise<T>,
): Promise<T> =>
  transact(database, { organizationId, actor: systemActor }, async (scope) => ({
    result: await work(scope),
  }))

/** Appends events and audit entries to the outbox. */
export const recordDrafts = async (
  { tx, organizationId, now }: Scope,
  actor: Actor,
  drafts: OutcomeDrafts,
): Promise<void> => {
  for (const chunk of splitDrafts(drafts)) {
    await appendToOutbox(tx, outboxRowsOf(organizationId, now, actor, chunk))
  }
}

/** Outbox rows per insert, about 10 ms, so that other queries can interleave. */
const MAX_ROWS = 400

/** Splits drafts into batches; nearly always one. */
const splitDrafts = ({ events, audit }: OutcomeDrafts): OutcomeDrafts[] => {
  if (events.length + audit.length <= MAX_ROWS) return [{ events, audit }]
  return [
    ...chunksOf(events, MAX_ROWS).map((chunk) => ({ events: chunk, audit: [] })),
    ...chunksOf(audit, MAX_ROWS).map((chunk) => ({ events: [], audit: chunk })),
  ]
}
