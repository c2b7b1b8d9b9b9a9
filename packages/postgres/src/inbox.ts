/**
 * Exactly-once effect: receipt and effects of an event commit together, so a repeat finds the
 * receipt.
 */
import type { Actor, OutcomeDrafts } from '@status-page/contracts'
import { sql } from 'drizzle-orm'
import type { Database } from './connect.ts'
import { withOneRetry } from './retry.ts'
import { inScope, type Scope } from './scope.ts'
import { recordDrafts } from './transaction.ts'

/** Attempts after which an event is quarantined; its row in `dead_event` then stays. */
export const MAX_ATTEMPTS = 6

export interface OnceTransactionContext {
  organizationId: string
  actor: Actor
  consumer: string
  eventId: string
  /** Runs also for a deleted organization. */
  afterErasure?: boolean
}

/**
 * Runs `work` once per consumer and event. A concurrent call waits at the inbox key until the first
 * has committed. An event of a deleted organization gets its receipt and changes nothing.
 */
export const transactOnce = (
  database: Database,
  { organizationId, actor, consumer, eventId, afterErasure = false }: OnceTransactionContext,
  work: (scope: Scope) => Promise<OutcomeDrafts | undefined>,
): Promise<'done' | 'already'> =>
  withOneRetry(() =>
    inScope(database, organizationId, async (scope) => {
      const [receipt] = await scope.tx.execute<{ is_erased: boolean }>(sql`
        INSERT INTO inbox (consumer, event_id) VALUES (${consumer}, ${eventId})
        ON CONFLICT DO NOTHING
        RETURNING EXISTS (SELECT FROM erasure WHERE organization_id = ${organizationId}) AS is_erased`)
      const isNew = receipt !== undefined
      if (isNew && (afterErasure || !receipt.is_erased)) {
        const drafts = await work(scope)
        if (drafts !== undefined) await recordDrafts(scope, actor, drafts)
      }
      // Also for a repeat: it may have been counted before the first attempt committed.
      await scope.tx.execute(sql`
        DELETE FROM dead_event
        WHERE consumer = ${consumer} AND event_id = ${eventId} AND tries < ${MAX_ATTEMPTS}`)
      return isNew ? 'done' : 'already'
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
