/**
 * Relay: publishes unpublished outbox rows to JetStream in order of seq; only the outbox leader
 * runs it.
 */
import type { ServiceName } from '@status-page/contracts'
import { faultPoint } from '@status-page/postgres'
import { headers, NatsError, type PubAck } from 'nats'
import type { Logger } from 'pino'
import { messageBodyOf } from './envelope.ts'
import type { NatsSession } from './nats-client.ts'
import type { NatsNames } from './nats-names.ts'
import {
  joinWithCommas,
  type OutboxEventRow,
  outboxColumns,
  runStatement,
  type Sql,
} from './outbox-queries.ts'

export const RELAY_BATCH = 100

/** Header with the aggregate, whose messages are handled one after another. */
export const AGGREGATE_HEADER = 'Aggregate'
/** Header with the W3C trace context of the event. */
export const TRACE_HEADER = 'traceparent'

interface OutgoingRow extends OutboxEventRow {
  seq: string
  publishCount: number
}

export interface RelayOptions {
  sql: Sql
  service: ServiceName
  names: NatsNames
  session: NatsSession
  epoch: string
  timeoutMs: number
  /** Rows that JetStream rejected permanently; the relay skips them. */
  rejected: Set<string>
  logger: Pick<Logger, 'error'>
}

export interface RelayResult {
  published: number
  /** True when the outbox has no unpublished row. */
  empty: boolean
  /** The batch was full and all of it was acknowledged; more rows may be unpublished. */
  more: boolean
}

/**
 * Publishes one batch and marks the rows with a PubAck as published; the others stay unpublished.
 */
export const relayBatch = async (options: RelayOptions): Promise<RelayResult> => {
  const rows = await unpublished(options)
  const empty = rows.length === 0
  const sent = await Promise.all(rows.map((row) => publish(options, row)))
  const acked = sent.filter((ack) => ack !== null)
  if (acked.length === 0) return { published: 0, empty, more: false }
  faultPoint('relay.after_puback')
  await markPublished(options, acked)
  return { published: acked.length, empty, more: acked.length === RELAY_BATCH }
}

const unpublished = ({ sql, rejected }: RelayOptions) =>
  runStatement<OutgoingRow>(
    sql,
    `SELECT o.seq::text AS seq, o.publish_count AS "publishCount", ${outboxColumns}
       FROM outbox o WHERE o.published_at IS NULL AND o.settled_at IS NULL
        AND NOT o.event_id::text = ANY (string_to_array($1::text, ','))
      ORDER BY o.seq LIMIT ${RELAY_BATCH}`,
    [joinWithCommas([...rejected])],
  )

interface Acked {
  seq: string
  busSeq: number
}

/**
 * Message id; the suffix of a deliberate second publication makes it a new message for the server.
 */
const messageId = ({ id, publishCount }: OutgoingRow) =>
  publishCount === 0 ? id : `${id}:r${publishCount}`

const publish = async (options: RelayOptions, row: OutgoingRow): Promise<Acked | null> => {
  const { session, service, names, timeoutMs } = options
  const extra = headers()
  extra.set(AGGREGATE_HEADER, `${row.aggregateType}:${row.aggregateId}`)
  if (row.traceparent !== null) extra.set(TRACE_HEADER, row.traceparent)
  try {
    const ack: PubAck = await session.js.publish(
      names.subject(row.subject),
      messageBodyOf(service, row),
      {
        msgID: messageId(row),
        timeout: timeoutMs,
        expect: { streamName: names.eventStream },
        headers: extra,
      },
    )
    return { seq: row.seq, busSeq: ack.seq }
  } catch (error) {
    if (isRejection(error)) recordRejection(options, row, error)
    // The outcome is unknown: the row is published again with the same message id, which the server
    // deduplicates.
    return null
  }
}

const MESSAGE_TOO_LARGE = 10054
const MAX_REJECTED = 1_000

const isRejection = (error: unknown): boolean =>
  error instanceof NatsError &&
  (error.jsError()?.err_code === MESSAGE_TOO_LARGE || error.code === 'MAX_PAYLOAD_EXCEEDED')

const recordRejection = (
  { rejected, logger }: RelayOptions,
  { id, kind }: OutboxEventRow,
  error: unknown,
) => {
  logger.error({ eventId: id, kind, err: error }, 'JetStream rejected the event permanently')
  if (rejected.size < MAX_REJECTED) rejected.add(id)
}

const markPublished = ({ sql, epoch }: RelayOptions, acked: readonly Acked[]) =>
  runStatement(
    sql,
    `UPDATE outbox o SET published_at = now(), publish_count = publish_count + 1,
        bus_epoch = $3::text::timestamptz, bus_seq = p.bus_seq
       FROM unnest(string_to_array($1::text, ',')::bigint[],
                   string_to_array($2::text, ',')::bigint[]) AS p(seq, bus_seq)
      WHERE o.seq = p.seq`,
    [
      joinWithCommas(acked.map(({ seq }) => seq)),
      joinWithCommas(acked.map(({ busSeq }) => String(busSeq))),
      epoch,
    ],
  )
