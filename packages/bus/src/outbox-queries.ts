/** Queries over the granted views of other schemas: events, consumers, receipts. */
import { databaseSchemaOf, type ServiceName } from '@status-page/contracts'
import { type Database, runPrepared } from '@status-page/postgres'

/** Query runner: the pool or a dedicated connection. */
export type Sql = Pick<Database['batchSql'], 'unsafe'>

/**
 * Row of an outbox; all columns but the version are text, independent of the connection's parsers.
 */
export interface OutboxEventRow {
  id: string
  kind: string
  subject: string
  organizationId: string
  aggregateType: string
  aggregateId: string
  aggregateVersion: number
  occurredAt: string
  data: string
  traceparent: string | null
}

/** Maximum rows per read of an outbox. */
export const OUTBOX_READ_LIMIT = 100

export const outboxColumns = `o.event_id::text AS id, o.kind, o.subject,
  o.organization_id::text AS "organizationId", o.aggregate_type AS "aggregateType",
  o.aggregate_id::text AS "aggregateId", o.aggregate_version AS "aggregateVersion",
  to_char(o.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "occurredAt",
  o.payload::text AS data, o.traceparent`

type Parameter = string | number | null | Buffer

/**
 * Runs one statement; parameters are cast in the text, so the driver infers no types. Unprepared, a
 * statement with parameters takes two round trips, and its plan most of the time.
 */
export const runStatement = async <Row>(
  sql: Sql,
  text: string,
  parameters: readonly Parameter[] = [],
): Promise<Row[]> => [...(await runPrepared(sql, text, [...parameters]))] as unknown as Row[]

/** Joins values into one query parameter; kinds and ids contain no comma. */
export const joinWithCommas = (values: readonly string[]): string => values.join(',')

const listParameter = (n: number) => `ANY (string_to_array($${n}::text, ','))`

/** Query of the open events of a producer that the consumer lacks: $1 consumer, $2 kinds. */
const openFor = (producer: ServiceName, columns: string) => `
  SELECT ${columns} FROM ${databaseSchemaOf(producer)}.outbox_feed o
   WHERE o.settled_at IS NULL AND o.kind = ${listParameter(2)}
     AND NOT EXISTS (SELECT FROM inbox i WHERE i.consumer = $1::text AND i.event_id = o.event_id)`

/** Consumer, its event kinds, and the producer whose outbox is read. */
export interface OutboxFilter {
  producer: ServiceName
  consumer: string
  kinds: readonly string[]
}

/** Oldest events that the consumer lacks, without the paused ones. */
export const oldestUnhandledEvents = (
  sql: Sql,
  filter: OutboxFilter,
  paused: readonly string[],
): Promise<OutboxEventRow[]> =>
  runStatement(
    sql,
    `${openFor(filter.producer, outboxColumns)} AND NOT o.event_id::text = ${listParameter(3)}
     ORDER BY o.seq LIMIT ${OUTBOX_READ_LIMIT}`,
    [filter.consumer, joinWithCommas(filter.kinds), joinWithCommas(paused)],
  )

const isLate = (lagMs: string) =>
  `o.published_at IS NULL AND o.occurred_at < now() - ${lagMs}::float8 * interval '1 ms'`

/** Condition: an event of these producers has been unpublished for longer than `lagMs`. */
export const isAnyEventLate = (producers: readonly ServiceName[], lagMs: number): string =>
  producers
    .map(
      (producer) => `EXISTS (SELECT FROM ${databaseSchemaOf(producer)}.outbox_feed o
        WHERE o.settled_at IS NULL AND ${isLate(String(lagMs))})`,
    )
    .join(' OR ') || 'false'

/**
 * Returns whether an event that the consumer lacks has been unpublished for longer than `lagMs`.
 */
export const isConsumerLagging = async (
  sql: Sql,
  filter: OutboxFilter,
  lagMs: number,
): Promise<boolean> => {
  const rows = await runStatement(
    sql,
    `${openFor(filter.producer, '1')} AND ${isLate('$3')} LIMIT 1`,
    [filter.consumer, joinWithCommas(filter.kinds), lagMs],
  )
  return rows.length > 0
}

/** Earlier versions of an aggregate that the consumer lacks, oldest first. */
export const unhandledEarlierVersions = (
  sql: Sql,
  filter: OutboxFilter,
  aggregate: { type: string; id: string; version: number },
): Promise<OutboxEventRow[]> =>
  runStatement(
    sql,
    `${openFor(filter.producer, outboxColumns)} AND o.aggregate_type = $3::text
       AND o.aggregate_id = $4::uuid AND o.aggregate_version < $5::int
     ORDER BY o.seq LIMIT ${OUTBOX_READ_LIMIT}`,
    [
      filter.consumer,
      joinWithCommas(filter.kinds),
      aggregate.type,
      aggregate.id,
      aggregate.version,
    ],
  )

/** Number of these events that the consumer lacks, without those with a lacking earlier version. */
export const countNextVersions = async (
  sql: Sql,
  filter: OutboxFilter,
  eventIds: readonly string[],
): Promise<number> => {
  const earlier = `SELECT FROM (${openFor(filter.producer, 'o.*')}) earlier
    WHERE earlier.aggregate_type = o.aggregate_type AND earlier.aggregate_id = o.aggregate_id
      AND earlier.aggregate_version < o.aggregate_version`
  const [row] = await runStatement<{ count: number }>(
    sql,
    `${openFor(filter.producer, 'count(*)::int AS count')}
       AND o.event_id = ANY (string_to_array($3::text, ',')::uuid[]) AND NOT EXISTS (${earlier})`,
    [filter.consumer, joinWithCommas(filter.kinds), joinWithCommas(eventIds)],
  )
  return row?.count ?? 0
}

/** Ids of the aggregates about which the consumer lacks an event. */
export const idsWithUnhandledEvents = async (
  sql: Sql,
  filter: OutboxFilter,
  type: string,
  ids: readonly string[],
): Promise<string[]> => {
  const rows = await runStatement<{ id: string }>(
    sql,
    `SELECT DISTINCT o.id FROM (${openFor(filter.producer, 'o.aggregate_id::text AS id')}
       AND o.aggregate_type = $3::text
       AND o.aggregate_id = ANY (string_to_array($4::text, ',')::uuid[])) o`,
    [filter.consumer, joinWithCommas(filter.kinds), type, joinWithCommas(ids)],
  )
  return rows.map(({ id }) => id)
}

/** Events about an organization's aggregates of one type that the consumer lacks, oldest first. */
export const unhandledEventsOfOrganization = (
  sql: Sql,
  filter: OutboxFilter,
  type: string,
  organizationId: string,
): Promise<OutboxEventRow[]> =>
  runStatement(
    sql,
    `${openFor(filter.producer, outboxColumns)} AND o.organization_id = $3::uuid
       AND o.aggregate_type = $4::text ORDER BY o.seq LIMIT ${OUTBOX_READ_LIMIT}`,
    [filter.consumer, joinWithCommas(filter.kinds), organizationId, type],
  )

/** Maximum organizations in one report. */
const MAX_ORGANIZATIONS = 100_000

export interface OutboxReport {
  producer: ServiceName
  aggregateType: string
  kinds: readonly string[]
  /** Maximum age of the events that are counted, in ms. */
  withinMs: number
}

/**
 * Time of each organization's last event of these kinds, in milliseconds since 1970; for
 * subscribers of a channel that may have missed notifications.
 */
export const lastEventTimes = async (
  sql: Sql,
  report: OutboxReport,
): Promise<Map<string, number>> => {
  const { producer, aggregateType, kinds, withinMs } = report
  const rows = await runStatement<{ organizationId: string; at: string }>(
    sql,
    `SELECT o.organization_id::text AS "organizationId",
        floor(extract(epoch FROM max(o.occurred_at)) * 1000)::text AS at
       FROM ${databaseSchemaOf(producer)}.outbox_feed o
      WHERE o.aggregate_type = $1::text AND o.kind = ${listParameter(2)}
        AND o.occurred_at > now() - $3::float8 * interval '1 ms'
      GROUP BY 1 ORDER BY max(o.occurred_at) DESC LIMIT ${MAX_ORGANIZATIONS}`,
    [aggregateType, joinWithCommas(kinds), withinMs],
  )
  return new Map(rows.map(({ organizationId, at }) => [organizationId, Number(at)]))
}

export type OutboxStatus = 'unknown' | 'open' | 'settled' | 'receipted'

/** Status of an event by the producer's outbox and this service's inbox. */
export const outboxStatusOf = async (
  sql: Sql,
  producer: ServiceName,
  consumer: string,
  eventId: string,
): Promise<OutboxStatus> => {
  const [row] = await runStatement<{ status: OutboxStatus }>(
    sql,
    `SELECT CASE
        WHEN EXISTS (SELECT FROM inbox i WHERE i.consumer = $1::text AND i.event_id = o.event_id)
          THEN 'receipted'
        WHEN o.settled_at IS NOT NULL THEN 'settled' ELSE 'open' END AS status
       FROM ${databaseSchemaOf(producer)}.outbox_feed o WHERE o.event_id = $2::uuid`,
    [consumer, eventId],
  )
  return row?.status ?? 'unknown'
}

/**
 * Subquery of the sequences of this schema's open events, one row per consumer that lacks the
 * event.
 */
export const missingReceipts = (services: readonly ServiceName[]): string =>
  services
    .map(databaseSchemaOf)
    .map(
      (schema) => `
    SELECT o.seq FROM outbox o JOIN ${schema}.consumers c ON o.kind = ANY (c.kinds)
     WHERE o.settled_at IS NULL AND NOT EXISTS
       (SELECT FROM ${schema}.receipts r WHERE r.consumer = c.consumer AND r.event_id = o.event_id)`,
    )
    .join(' UNION ALL ')
