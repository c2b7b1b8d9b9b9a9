/** The statements over the granted views of other schemas: feeds of open events, consumers, receipts. */
import { type ServiceName, schemaOf } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'

/** Anything that runs a statement: the pool or a connection of its own. */
export type Sql = Pick<Database['batchSql'], 'unsafe'>

/** A row of an outbox; everything but the version is text, whatever parsers the connection has. */
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
}

/** Rows per look at a feed. */
export const FEED_LIMIT = 100

export const feedColumns = `o.event_id::text AS id, o.kind, o.subject,
  o.organization_id::text AS "organizationId", o.aggregate_type AS "aggregateType",
  o.aggregate_id::text AS "aggregateId", o.aggregate_version AS "aggregateVersion",
  to_char(o.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "occurredAt",
  o.payload::text AS data`

type Parameter = string | number | null | Buffer

/** Runs one statement; parameters are cast in the text, so no driver inference is relied on. */
export const run = async <Row>(
  sql: Sql,
  text: string,
  parameters: readonly Parameter[] = [],
): Promise<Row[]> => [...(await sql.unsafe(text, [...parameters]))] as unknown as Row[]

/** A list as one parameter; kinds and ids hold no comma. */
export const list = (values: readonly string[]): string => values.join(',')

const listParameter = (n: number) => `ANY (string_to_array($${n}::text, ','))`

/** Open events of a producer that the consumer lacks: $1 consumer, $2 kinds. */
const openFor = (producer: ServiceName, columns: string) => `
  SELECT ${columns} FROM ${schemaOf(producer)}.outbox_feed o
   WHERE o.settled_at IS NULL AND o.kind = ${listParameter(2)}
     AND NOT EXISTS (SELECT FROM inbox i WHERE i.consumer = $1::text AND i.event_id = o.event_id)`

/** A consumer, the kinds it takes, and the producer whose feed is read. */
export interface OutboxPosition {
  producer: ServiceName
  consumer: string
  kinds: readonly string[]
}

/** The oldest events that the consumer lacks, without those that are paused. */
export const openEvents = (
  sql: Sql,
  look: OutboxPosition,
  paused: readonly string[],
): Promise<OutboxEventRow[]> =>
  run(
    sql,
    `${openFor(look.producer, feedColumns)} AND NOT o.event_id::text = ${listParameter(3)}
     ORDER BY o.seq LIMIT ${FEED_LIMIT}`,
    [look.consumer, list(look.kinds), list(paused)],
  )

const isLate = (lagMs: string) =>
  `o.published_at IS NULL AND o.occurred_at < now() - ${lagMs}::float8 * interval '1 ms'`

/** Whether any event of these producers has been waiting for its publication too long. */
export const isAnyLate = async (
  sql: Sql,
  producers: readonly ServiceName[],
  lagMs: number,
): Promise<boolean> => {
  const late = producers.map(
    (producer) => `EXISTS (SELECT FROM ${schemaOf(producer)}.outbox_feed o
      WHERE o.settled_at IS NULL AND ${isLate('$1')})`,
  )
  const [row] = await run<{ late: boolean }>(sql, `SELECT ${late.join(' OR ')} AS late`, [lagMs])
  return row?.late ?? false
}

/** Whether an event that the consumer lacks has been waiting for its publication too long. */
export const isLagging = async (
  sql: Sql,
  look: OutboxPosition,
  lagMs: number,
): Promise<boolean> => {
  const rows = await run(sql, `${openFor(look.producer, '1')} AND ${isLate('$3')} LIMIT 1`, [
    look.consumer,
    list(look.kinds),
    lagMs,
  ])
  return rows.length > 0
}

/** Earlier versions of an aggregate that the consumer lacks, oldest first. */
export const earlierVersions = (
  sql: Sql,
  look: OutboxPosition,
  aggregate: { type: string; id: string; version: number },
): Promise<OutboxEventRow[]> =>
  run(
    sql,
    `${openFor(look.producer, feedColumns)} AND o.aggregate_type = $3::text
       AND o.aggregate_id = $4::uuid AND o.aggregate_version < $5::int
     ORDER BY o.seq LIMIT ${FEED_LIMIT}`,
    [look.consumer, list(look.kinds), aggregate.type, aggregate.id, aggregate.version],
  )

/** Those of the aggregates about which the consumer lacks an event. */
export const lackedAmong = async (
  sql: Sql,
  look: OutboxPosition,
  type: string,
  ids: readonly string[],
): Promise<string[]> => {
  const rows = await run<{ id: string }>(
    sql,
    `SELECT DISTINCT o.id FROM (${openFor(look.producer, 'o.aggregate_id::text AS id')}
       AND o.aggregate_type = $3::text
       AND o.aggregate_id = ANY (string_to_array($4::text, ',')::uuid[])) o`,
    [look.consumer, list(look.kinds), type, list(ids)],
  )
  return rows.map(({ id }) => id)
}

/** Events about an organization's aggregates of one type that their keeper lacks, oldest first. */
export const untakenOf = (
  sql: Sql,
  look: OutboxPosition,
  type: string,
  organizationId: string,
): Promise<OutboxEventRow[]> =>
  run(
    sql,
    `${openFor(look.producer, feedColumns)} AND o.organization_id = $3::uuid
       AND o.aggregate_type = $4::text ORDER BY o.seq LIMIT ${FEED_LIMIT}`,
    [look.consumer, list(look.kinds), organizationId, type],
  )

/** Organizations that one report names at most. */
const MAX_ORGANIZATIONS = 100_000

export interface OutboxReport {
  producer: ServiceName
  aggregateType: string
  kinds: readonly string[]
  /** How far it goes back. */
  withinMs: number
}

/**
 * When each organization last stated one of these kinds, in milliseconds since 1970: for who listens to a
 * channel and may have missed what was said there.
 */
export const lastStated = async (sql: Sql, report: OutboxReport): Promise<Map<string, number>> => {
  const { producer, aggregateType, kinds, withinMs } = report
  const rows = await run<{ organizationId: string; at: string }>(
    sql,
    `SELECT o.organization_id::text AS "organizationId",
        floor(extract(epoch FROM max(o.occurred_at)) * 1000)::text AS at
       FROM ${schemaOf(producer)}.outbox_feed o
      WHERE o.aggregate_type = $1::text AND o.kind = ${listParameter(2)}
        AND o.occurred_at > now() - $3::float8 * interval '1 ms'
      GROUP BY 1 ORDER BY max(o.occurred_at) DESC LIMIT ${MAX_ORGANIZATIONS}`,
    [aggregateType, list(kinds), withinMs],
  )
  return new Map(rows.map(({ organizationId, at }) => [organizationId, Number(at)]))
}

export type OutboxStatus = 'unknown' | 'open' | 'settled' | 'receipted'

/** What the producer's feed and our inbox say about an event. */
export const outboxStatusOf = async (
  sql: Sql,
  producer: ServiceName,
  consumer: string,
  eventId: string,
): Promise<OutboxStatus> => {
  const [row] = await run<{ standing: OutboxStatus }>(
    sql,
    `SELECT CASE
        WHEN EXISTS (SELECT FROM inbox i WHERE i.consumer = $1::text AND i.event_id = o.event_id)
          THEN 'receipted'
        WHEN o.settled_at IS NOT NULL THEN 'settled' ELSE 'open' END AS standing
       FROM ${schemaOf(producer)}.outbox_feed o WHERE o.event_id = $2::uuid`,
    [consumer, eventId],
  )
  return row?.standing ?? 'unknown'
}

/** A subquery of (seq, consumer): open events of this schema and the consumers that lack them. */
export const missingOver = (services: readonly ServiceName[]): string =>
  services
    .map(schemaOf)
    .map(
      (schema) => `
    SELECT o.seq FROM outbox o JOIN ${schema}.consumers c ON o.kind = ANY (c.kinds)
     WHERE o.settled_at IS NULL AND NOT EXISTS
       (SELECT FROM ${schema}.receipts r WHERE r.consumer = c.consumer AND r.event_id = o.event_id)`,
    )
    .join(' UNION ALL ')
