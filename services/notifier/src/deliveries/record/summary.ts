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
const TAKE_LIMIT = 5_000
/** Maximum number of subscribers per event. */
const BATCH_SUBSCRIBERS = 1_000

/** Notifications are recorded with their delivery in Postgres, so that a crash loses none. */
export const summaryJob = (database: Database): Job => ({
  name: 'delivery-summary',
  intervalMs: INTERVAL_MS,
  run: () =>
    transactAsWorker(database, async (systemScope) => {
      const notified = await takeNotified(systemScope)
      const organizations = Map.groupBy(notified, ({ organizationId }) => organizationId)
      return {
        result: notified.length === TAKE_LIMIT ? notified.length : 0,
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

const takeNotified = async ({ tx }: SystemScope): Promise<SubscriberNotification[]> => {
  const rows = await tx.execute<{ organization_id: string; subscriber_id: string; at: string }>(sql`
    DELETE FROM subscriber_notifications WHERE (organization_id, subscriber_id) IN (
      SELECT organization_id, subscriber_id FROM subscriber_notifications
      LIMIT ${TAKE_LIMIT} FOR UPDATE SKIP LOCKED)
    RETURNING organization_id, subscriber_id, notified_at AS at`)
  return rows.map(({ organization_id, subscriber_id, at }) => ({
    organizationId: organization_id,
    id: subscriber_id,
    lastNotifiedAt: new Date(at).toISOString(),
  }))
}
