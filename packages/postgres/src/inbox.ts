/**
 * Exactly-once effect: receipt and effects of an event commit together, so a repeat finds the
 * receipt.
 */
import type { Actor, OutcomeDrafts } from '@status-page/contracts'
import { sql } from 'drizzle-orm'
import type { Database } from './connect.ts'
import { withOneRetry } from './retry.ts'
import { inTransaction, openScope, type Scope } from './scope.ts'
import { recordDrafts } from './transaction.ts'

/** Attempts after which an event is quarantined; its row in `dead_event` then stays. */
export const MAX_ATTEMPTS = 6

export interface OnceTransactionContext {
  organizationId: string
  actor: Actor
  consumer: string
  /** Runs also for a deleted organization. */
  afterErasure?: boolean
}

/** Event of the organization, with its effect. */
export interface OnceEvent {
  eventId: string
  work(scope: Scope): Promise<OutcomeDrafts | undefined>
  /** Runs the effect and the append of its events in a context, such as the trace of the event. */
  within?(run: () => Promise<void>): Promise<void>
}

/**
 * Runs the work of each event once per consumer, one after another in one transaction; all fail
 * together. Returns a result per event, in their order. A concurrent call waits at the inbox keys
 * until the first has committed. Events of a deleted organization get their receipts and change
 * nothing.
 */
export const transactOnce = (
  database: Database,
  { organizationId, actor, consumer, afterErasure = false }: OnceTransactionContext,
  events: readonly OnceEvent[],
): Promise<('done' | 'already')[]> =>
  withOneRetry(() =>
    inTransaction(database, async (tx) => {
      const ids = sql.param(events.map(({ eventId }) => eventId))
      // Sent together, which saves a round trip; the scope first, so that row-level security applies.
      const [scope, receipts] = await Promise.all([
        openScope(database, tx, organizationId),
        tx.execute<{ event_id: string; is_erased: boolean }>(sql`
          INSERT INTO inbox (consumer, event_id)
          SELECT ${consumer}, id FROM unnest(${ids}::uuid[]) AS id ORDER BY id
          ON CONFLICT DO NOTHING
          RETURNING event_id,
            EXISTS (SELECT FROM erasure WHERE organization_id = ${organizationId}) AS is_erased`),
      ])
      const inserted = new Set(receipts.map(({ event_id }) => event_id))
      const hasEffect = afterErasure || receipts[0]?.is_erased !== true
      const results: ('done' | 'already')[] = []
      for (const { eventId, work, within } of events) {
        // The sweep publishes an event again, so that a batch can contain it twice.
        const isNew = inserted.delete(eventId)
        results.push(isNew ? 'done' : 'already')
        if (!isNew || !hasEffect) continue
        const run = async () => {
          const drafts = await work(scope)
          if (drafts !== undefined) await recordDrafts(scope, actor, drafts)
        }
        await (within === undefined ? run() : within(run))
      }
      // Also for a repeat: it may have been counted before the first attempt committed.
      await scope.tx.execute(sql`
        DELETE FROM dead_event WHERE consumer = ${consumer} AND event_id = ANY (${ids}::uuid[])
          AND tries < ${MAX_ATTEMPTS}`)
      return results
    }),
  )

/** Consumer and its event kinds, as declared by an event handler. */
export interface ConsumerSpec {
  consumer: string
  on: readonly { kind: string }[]
}

/** Text in SQL: an array of the registered consumers, each as `name kind`. */
export const REGISTERED_CONSUMERS = `(SELECT array_agg(consumer || ' ' || kind)
  FROM outbox_consumer, unnest(kinds) AS kind)`

/** Consumers (`name kind`) that no migration registered: their events would settle without them. */
export const missingConsumers = (
  registered: readonly string[] | null,
  eventHandlers: readonly ConsumerSpec[],
): string[] => {
  const known = new Set(registered)
  return eventHandlers
    .flatMap(({ consumer, on }) => on.map(({ kind }) => `${consumer} ${kind}`))
    .filter((name) => !known.has(name))
}
