/**
 * SQL of the event log. Positions of an organization are consecutive, and become visible in their
 * order.
 */
import type { EventPayload } from '@status-page/contracts'
import type { RawSystemScope, Scope } from '@status-page/postgres'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { eventLog, eventLogHeads } from '../tables.ts'

/** Channel that receives `<organization id>:<position>` when an event is appended. */
export const EVENT_LOG_CHANNEL = 'event_log'

export interface LogHead {
  position: number
  eventId: string
}

export interface LogRow {
  position: number
  eventId: string
  kind: string
  /** Payload as JSON. */
  payload: string
}

/**
 * Appends an event. Its transaction contains nothing but appends, because the first of them locks
 * the head of the organization until the commit.
 */
export const appendEvent = async (
  { tx, organizationId }: Scope,
  { eventId, payload }: { eventId: string; payload: EventPayload },
): Promise<void> => {
  await tx.execute(sql`
    WITH head AS (
      INSERT INTO event_log_heads AS h (organization_id, position, event_id)
      VALUES (${organizationId}, 1, ${eventId})
      ON CONFLICT (organization_id)
        DO UPDATE SET position = h.position + 1, event_id = excluded.event_id
      RETURNING position),
    appended AS (
      INSERT INTO event_log (organization_id, position, event_id, kind, payload)
      SELECT ${organizationId}, position, ${eventId}, ${payload.event}, ${JSON.stringify(payload)}
      FROM head)
    SELECT pg_notify(${EVENT_LOG_CHANNEL}, ${organizationId}::text || ':' || position) FROM head`)
}

/** Head of the organization's log; null before its first event. */
export const logHead = async ({ tx, organizationId }: Scope): Promise<LogHead | null> => {
  const { position, eventId } = eventLogHeads
  const [row] = await tx
    .select({ position, eventId })
    .from(eventLogHeads)
    .where(eq(eventLogHeads.organizationId, organizationId))
  return row ?? null
}

/** Position of a stored event; null when the log does not contain it. */
export const positionOfEvent = async (
  { tx, organizationId }: Scope,
  id: string,
): Promise<number | null> => {
  const [row] = await tx
    .select({ position: eventLog.position })
    .from(eventLog)
    .where(and(eq(eventLog.organizationId, organizationId), eq(eventLog.eventId, id)))
  return row?.position ?? null
}

/** Position of the oldest stored event; null without one. */
export const oldestPosition = async ({ tx, organizationId }: Scope): Promise<number | null> => {
  const [row] = await tx
    .select({ position: eventLog.position })
    .from(eventLog)
    .where(eq(eventLog.organizationId, organizationId))
    .orderBy(eventLog.position)
    .limit(1)
  return row?.position ?? null
}

export interface LogRange {
  /** Position before the first event. */
  after: number
  /** Last position. */
  until: number
  limit: number
  maxBytes: number
}

/** Maximum bytes of the payloads; at least one event is returned. */
const withinBytes = (page: SQL, maxBytes: number) => sql`
  SELECT position, event_id AS "eventId", kind, payload FROM (
    SELECT page.*, sum(octet_length(payload)) OVER (ORDER BY position) - octet_length(payload)
      AS bytes_before FROM (${page}) page) sized
  WHERE bytes_before < ${maxBytes} ORDER BY position`

/** Events of all kinds in a range. */
export const readEvents = async (
  { tx, organizationId }: Scope,
  { after, until, limit, maxBytes }: LogRange,
): Promise<LogRow[]> => {
  const page = sql`
    SELECT position, event_id, kind, payload FROM event_log
    WHERE organization_id = ${organizationId} AND position > ${after} AND position <= ${until}
    ORDER BY position LIMIT ${limit}`
  return toRows(await tx.execute(withinBytes(page, maxBytes)))
}

/** Events of these kinds in a range; reads at most `limit` entries of the index per kind. */
export const readEventsOfKinds = async (
  { tx, organizationId }: Scope,
  kinds: readonly string[],
  { after, until, limit, maxBytes }: LogRange,
): Promise<LogRow[]> => {
  const page = sql`
    SELECT e.position, e.event_id, e.kind, e.payload
    FROM (SELECT found.position FROM unnest(${sql.param([...kinds])}::text[]) AS selected (kind)
      CROSS JOIN LATERAL (SELECT position FROM event_log l
        WHERE l.organization_id = ${organizationId} AND l.kind = selected.kind
          AND l.position > ${after} AND l.position <= ${until}
        ORDER BY position LIMIT ${limit}) found
      ORDER BY found.position LIMIT ${limit}) first
    JOIN event_log e ON e.organization_id = ${organizationId} AND e.position = first.position
    ORDER BY e.position`
  return toRows(await tx.execute(withinBytes(page, maxBytes)))
}

const toRows = (rows: Iterable<Record<string, unknown>>): LogRow[] =>
  [...rows].map((row) => ({ ...(row as unknown as LogRow), position: Number(row.position) }))

/** Heads of many organizations, by organization. */
export const logHeads = async (
  { sql }: RawSystemScope,
  organizationIds: readonly string[],
): Promise<Map<string, LogHead>> => {
  const rows = await sql<{ organizationId: string; position: string; eventId: string }[]>`
    SELECT organization_id AS "organizationId", position::text, event_id AS "eventId"
    FROM event_log_heads WHERE organization_id = ANY (${[...organizationIds]}::uuid[])`
  return new Map(
    rows.map(({ organizationId, position, eventId }) => [
      organizationId,
      { position: Number(position), eventId },
    ]),
  )
}

/** Deletes one batch of events beyond the retention; returns their number. */
export const deleteOldEvents = async (
  { sql }: RawSystemScope,
  { retentionDays, limit }: { retentionDays: number; limit: number },
): Promise<number> => {
  const deleted = await sql`
    DELETE FROM event_log WHERE (organization_id, position) IN (
      SELECT organization_id, position FROM event_log
      WHERE logged_at < now() - make_interval(days => ${retentionDays})
      ORDER BY logged_at LIMIT ${limit})`
  return deleted.count
}
