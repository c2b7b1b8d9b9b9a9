/**
 * Publishes to core the times at which subscribers were last notified: at most once a minute, one
 * event per batch.
 */
import { deliverySummarised, draftEvent, systemActor } from '@status-page/contracts'
import {
  chunksOf,
  type Database,
  type Job,
  newId,
  type SystemScope,
  transactAsWorker,
} from '@status-page/postgres'
import { sql } from 'drizzle-orm'

const INTERVAL_MS = 60_000
/** Maximum number of rows per transaction; a row has at most one batch of results. */
const TAKE_LIMIT = 20
/** Maximum number of subscribers per event. */
const BATCH_SUBSCRIBERS = 1_000

/** Notifications are recorded with their delivery in Postgres, so that a crash loses none. */
export const summaryJob = (database: Database): Job => ({
  name: 'delivery-summary',
  intervalMs: INTERVAL_MS,
  run: () =>
    transactAsWorker(database, async (systemScope) => {
      const { notified, isFull } = await takeNotified(systemScope)
      const organizations = Map.groupBy(notified, ({ organizationId }) => organizationId)
      return {
        result: isFull ? notified.length : 0,
        organizations: [...organizations].map(([organizationId, notified]) => ({
          organizationId,
          actor: systemActor,
          events: chunksOf(notified, BATCH_SUBSCRIBERS).map((some) =>
            draftEvent(
              deliverySummarised,
              { id: newId(), version: 1 },
              { subscribers: some.map(({ id, lastNotifiedAt }) => ({ id, lastNotifiedAt })) },
            ),
          ),
          audit: [],
        })),
      }
    }),
})

interface SubscriberNotification {
  organizationId: string
  id: string
  lastNotifiedAt: string
}

interface TakenNotifications {
  notified: SubscriberNotification[]
  /** More rows may be left. */
  isFull: boolean
}

interface TakenRow extends Record<string, unknown> {
  organization_id: string
  subscriber_id: string
  at: string
  taken: number
}

/** Takes the oldest rows; a subscriber in several of them is reported with the latest time. */
const takeNotified = async ({ tx }: SystemScope): Promise<TakenNotifications> => {
  const rows = await tx.execute<TakenRow>(sql`
    WITH taken AS (
      DELETE FROM subscriber_notifications WHERE (organization_id, id) IN (
        SELECT organization_id, id FROM subscriber_notifications ORDER BY id
        LIMIT ${TAKE_LIMIT} FOR UPDATE SKIP LOCKED)
      RETURNING organization_id, subscriber_ids, notified_at)
    SELECT organization_id, subscriber_id, max(notified_at) AS at,
      (SELECT count(*)::int FROM taken) AS taken
    FROM taken CROSS JOIN LATERAL unnest(subscriber_ids) AS subscriber_id
    GROUP BY organization_id, subscriber_id`)
  const notified = rows.map(({ organization_id, subscriber_id, at }) => ({
    organizationId: organization_id,
    id: subscriber_id,
    lastNotifiedAt: new Date(at).toISOString(),
  }))
  return { notified, isFull: rows[0]?.taken === TAKE_LIMIT }
}
