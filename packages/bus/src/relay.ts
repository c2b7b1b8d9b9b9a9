/** The relay: carries unpublished outbox rows to JetStream in order of seq, and alone does so. */
import type { ServiceName } from '@status-page/contracts'
import { faultPoint } from '@status-page/postgres'
import { headers, NatsError, type PubAck } from 'nats'
import type { Logger } from 'pino'
import { bodyOf } from './envelope.ts'
import type { NatsSession } from './nats-client.ts'
import type { NatsNames } from './nats-names.ts'
import { feedColumns, list, type OutboxEventRow, run, type Sql } from './outbox-queries.ts'

export const RELAY_BATCH = 100

/** Names the lane: messages of one aggregate are handled one after another. */
export const AGGREGATE_HEADER = 'Aggregate'

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
  /** Rows that JetStream refused for good; they block nobody. */
  refused: Set<string>
  logger: Pick<Logger, 'error'>
}

export interface Relayed {
  published: number
  /** Nothing waited. */
  empty: boolean
  /** The batch was full and went well: there may be more. */
  more: boolean
}

/** Publishes one batch, waits for the PubAcks, marks those that came; the others stay as they are. */
export const relayBatch = async (options: RelayOptions): Promise<Relayed> => {
  const rows = await unpublished(options)
  const empty = rows.length === 0
  const sent = await Promise.all(rows.map((row) => publish(options, row)))
  const acked = sent.filter((one) => one !== null)
  if (acked.length === 0) return { published: 0, empty, more: false }
  faultPoint('relay.after_puback')
  await mark(options, acked)
  return { published: acked.length, empty, more: acked.length === RELAY_BATCH }
}

const unpublished = ({ sql, refused }: RelayOptions) =>
  run<OutgoingRow>(
    sql,
    `SELECT o.seq::text AS seq, o.publish_count AS "publishCount", ${feedColumns}
       FROM outbox o WHERE o.published_at IS NULL AND o.settled_at IS NULL
        AND NOT o.event_id::text = ANY (string_to_array($1::text, ','))
      ORDER BY o.seq LIMIT ${RELAY_BATCH}`,
    [list([...refused])],
  )

interface Acked {
  seq: string
  busSeq: number
}

/** The suffix makes a deliberate second publication another message to the server. */
const messageId = ({ id, publishCount }: OutgoingRow) =>
  publishCount === 0 ? id : `${id}:r${publishCount}`

const publish = async (options: RelayOptions, row: OutgoingRow): Promise<Acked | null> => {
  const { session, service, names, timeoutMs } = options
  const extra = headers()
  extra.set(AGGREGATE_HEADER, `${row.aggregateType}:${row.aggregateId}`)
  try {
    const ack: PubAck = await session.js.publish(names.subject(row.subject), bodyOf(service, row), {
      msgID: messageId(row),
      timeout: timeoutMs,
      expect: { streamName: names.eventStream },
      headers: extra,
    })
    return { seq: row.seq, busSeq: ack.seq }
  } catch (error) {
    if (isRefusal(error)) refuse(options, row, error)
    // Anything else is unknown: the same message id goes out again, and the server may have it.
    return null
  }
}

const MESSAGE_TOO_LARGE = 10054
const MAX_REFUSED = 1_000

const isRefusal = (error: unknown): boolean =>
  error instanceof NatsError &&
  (error.jsError()?.err_code === MESSAGE_TOO_LARGE || error.code === 'MAX_PAYLOAD_EXCEEDED')

const refuse = (
  { refused, logger }: RelayOptions,
  { id, kind }: OutboxEventRow,
  error: unknown,
) => {
  logger.error({ eventId: id, kind, err: error }, 'JetStream rejected the event permanently')
  if (refused.size < MAX_REFUSED) refused.add(id)
}

const mark = ({ sql, epoch }: RelayOptions, acked: readonly Acked[]) =>
  run(
    sql,
    `UPDATE outbox o SET published_at = now(), publish_count = publish_count + 1,
        bus_epoch = $3::text::timestamptz, bus_seq = p.bus_seq
       FROM unnest(string_to_array($1::text, ',')::bigint[],
                   string_to_array($2::text, ',')::bigint[]) AS p(seq, bus_seq)
      WHERE o.seq = p.seq`,
    [list(acked.map(({ seq }) => seq)), list(acked.map(({ busSeq }) => String(busSeq))), epoch],
  )
