/** Records the successes of a batch in one statement. */
import type { RawSystemScope } from '@status-page/postgres'

type Sql = RawSystemScope['sql']

export interface DeliveredRow {
  id: string
  /** Destination with a failure that the success clears; null for a healthy one. */
  failedDestinationId: string | null
  attempt: number
  startedAt: Date
  durationMs: number
  statusCode: number | null
  /** Notified subscriber, reported to core; null where there is none. */
  subscriberId: string | null
  /** Channel that the message was addressed to. */
  channelId: string | null
  /** Shared transport of the message, which works. */
  transport: string | null
}

/**
 * Records successes in one statement, each in the row of its delivery, regardless of the current
 * lease holder. Returns the seconds from creation to success by id; deliveries recorded before are
 * missing, and have a row for the further attempt.
 */
export const recordDelivered = async (
  { sql }: RawSystemScope,
  rows: readonly DeliveredRow[],
): Promise<Map<string, number>> => {
  const recorded = sql<{ id: string; age: number }[]>`
    WITH input AS (SELECT * FROM unnest(${deliveredColumns(sql, rows)}) AS t(id, number, started_ms,
      duration_ms, status_code, subscriber_id)),
    done AS (
      UPDATE deliveries d SET state = 'delivered', reason = NULL, finished_at = now(),
        lease_until = NULL, lease_owner = NULL, updated_at = now(),
        delivered_attempt = input.number, delivered_started_at = to_timestamp(started_ms / 1000),
        delivered_duration_ms = input.duration_ms, delivered_status_code = input.status_code
      FROM input WHERE d.id = input.id AND d.state <> 'delivered'
      RETURNING d.id, d.organization_id, input.subscriber_id,
        date_part('epoch', now() - d.created_at) AS age),
    repeated AS (
      INSERT INTO delivery_attempts (organization_id, delivery_id, number, started_at, duration_ms,
        outcome, status_code)
      SELECT d.organization_id, d.id, input.number, to_timestamp(input.started_ms / 1000),
        input.duration_ms, 'delivered', input.status_code
      FROM (SELECT * FROM input WHERE id NOT IN (SELECT id FROM done)) input
      JOIN deliveries d ON d.id = input.id AND d.delivered_attempt <> input.number
      ON CONFLICT (organization_id, delivery_id, number) DO UPDATE SET
        started_at = excluded.started_at, duration_ms = excluded.duration_ms,
        outcome = excluded.outcome, status_code = excluded.status_code, error = NULL),
    news AS (
      INSERT INTO subscriber_notifications (organization_id, subscriber_ids, notified_at)
      SELECT organization_id, array_agg(subscriber_id), now() FROM done
      WHERE subscriber_id IS NOT NULL GROUP BY organization_id)
    SELECT id, age FROM done`.execute()
  const [done] = await Promise.all([recorded, markHealthy(sql, rows)])
  return new Map(done.map(({ id, age }) => [id, age]))
}

const deliveredColumns = (sql: Sql, rows: readonly DeliveredRow[]) => {
  const column = <T>(read: (row: DeliveredRow) => T) => rows.map(read) as never
  return sql`
    ${column(({ id }) => id)}::uuid[],
    ${column(({ attempt }) => attempt)}::int[],
    ${column(({ startedAt }) => startedAt.getTime())}::float8[],
    ${column(({ durationMs }) => Math.round(durationMs))}::int[],
    ${column(({ statusCode }) => statusCode)}::int[],
    ${column(({ subscriberId }) => subscriberId)}::uuid[]`
}

/**
 * Clears the failures of destinations and transports, and records the channels' last delivery.
 * Destinations are selected by the failures that were loaded with the messages: a condition in the
 * statement of the batch made it read every destination.
 */
const markHealthy = (sql: Sql, rows: readonly DeliveredRow[]): Promise<unknown> => {
  const transports = distinct(rows.map(({ transport }) => transport))
  const noted: Promise<unknown>[] = []
  const destinations = distinct(rows.map(({ failedDestinationId }) => failedDestinationId))
  if (destinations.length > 0) {
    noted.push(sql`UPDATE destinations SET blocked_until = NULL, fail_streak = 0,
        first_fail_at = NULL, updated_at = now()
      WHERE id = ANY (${destinations}::uuid[])`)
  }
  if (transports.length > 0) {
    noted.push(sql`UPDATE transports SET blocked_until = NULL, reason = NULL, fail_streak = 0
      WHERE name = ANY (${transports}::text[]) AND fail_streak > 0`)
  }
  const channels = distinct(rows.map(({ channelId }) => channelId))
  if (channels.length > 0) {
    noted.push(sql`UPDATE notification_channels
      SET last_delivery_at = now(), last_delivery_status = 'delivered'
      WHERE id = ANY (${channels}::uuid[])`)
  }
  return Promise.all(noted)
}

const distinct = (values: readonly (string | null)[]): string[] => [
  ...new Set(values.filter((value) => value !== null)),
]
