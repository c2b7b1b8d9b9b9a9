/**
 * One event through one reaction: counted before it is read, done once with its receipt, quarantined
 * at the sixth try. An acknowledgement settles nothing; the receipt in `inbox` does.
 */
import { AppError, type Envelope, systemActor } from '@status-page/contracts'
import {
  type Database,
  databaseErrorOf,
  faultPoint,
  isErased,
  MAX_ATTEMPTS,
  read,
  transactOnce,
} from '@status-page/postgres'
import type { Logger } from 'pino'
import { catchUp, type Take } from './catch-up.ts'
import { bodyOf, kindOfSubject, openEnvelope } from './envelope.ts'
import { type EventHandler, takes } from './event-handler.ts'
import { type Intervals, retryPauseMs } from './intervals.ts'
import { outboxStatusOf, run } from './outbox-queries.ts'
import type { Pauses } from './pauses.ts'

/** What every arrival meets: the service's database, its other reactions, its pauses. */
export interface HandlerContext {
  database: Database
  reactions: readonly EventHandler[]
  intervals: Intervals
  pauses: Pauses
  logger: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
}

/** An event as a transport brings it. */
export interface InboundEvent {
  eventId: string
  subject: string
  raw: Buffer
  /** The transport's count of deliveries, from 1; null where it keeps none. */
  delivery: number | null
}

export type HandlerResult =
  | { result: 'done' | 'already' | 'never-owed' | 'never-committed' | 'not-taken' | 'quarantined' }
  /** The handler or the message failed; not before `pauseMs` again. */
  | { result: 'failed'; error: unknown; pauseMs: number }
  /** A predecessor has to go first; not a try. */
  | { result: 'waiting'; pauseMs: number }

/** Rejects only when the database did not answer: then nothing was counted. */
export const handleEvent = async (
  desk: HandlerContext,
  reaction: EventHandler,
  arrival: InboundEvent,
): Promise<HandlerResult> => {
  faultPoint('react.after_receive')
  const kind = kindOfSubject(arrival.subject)
  if (kind !== null && !takes(reaction, kind)) return { result: 'not-taken' }
  const tries = await count(desk.database, reaction.consumer, arrival)
  if (tries === 'receipted') return { result: 'already' }
  if (tries >= MAX_ATTEMPTS) return quarantine(desk, reaction, arrival)
  try {
    const verdict = await handle(desk, reaction, openEnvelope(reaction.on, arrival))
    if (verdict.result === 'waiting') {
      await uncount(desk.database, reaction.consumer, arrival)
      desk.pauses.set(reaction.consumer, arrival.eventId, verdict.pauseMs)
    } else desk.pauses.clear(reaction.consumer, arrival.eventId)
    return verdict
  } catch (error) {
    if (!isDatabaseAway(error)) return failed(desk, reaction, arrival, { error, tries })
    await uncount(desk.database, reaction.consumer, arrival)
    throw error
  }
}

const STATEMENT_TOO_SLOW = '57014'

/** A busy minute must not quarantine good events; one whose statement never ends in time must be. */
const isDatabaseAway = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === 'SERVICE_UNAVAILABLE' &&
  databaseErrorOf(error.cause)?.code !== STATEMENT_TOO_SLOW

/** Takes a row of a producer's feed through the same door as a message. */
export const takeBy =
  (desk: HandlerContext): Take =>
  (reaction, producer, row) =>
    handleEvent(desk, reaction, {
      eventId: row.id,
      subject: row.subject,
      raw: bodyOf(producer, row),
      delivery: null,
    })

const handle = async (
  desk: HandlerContext,
  reaction: EventHandler,
  envelope: Envelope,
): Promise<HandlerResult> => {
  if (reaction.requiresOrdering !== undefined) {
    const refusal = await refuse(desk, reaction, envelope)
    if (refusal !== null) return { result: refusal }
    if (!(await catchUp(desk, reaction, envelope, takeBy(desk)))) {
      return { result: 'waiting', pauseMs: desk.intervals.predecessorMs }
    }
  }
  await prepare(desk, reaction, envelope)
  const verdict = await transactOnce(
    desk.database,
    {
      organizationId: envelope.organizationId,
      actor: systemActor,
      consumer: reaction.consumer,
      eventId: envelope.id,
      afterErasure: reaction.afterErasure ?? false,
    },
    (scope) => reaction.handle(scope, envelope),
  )
  faultPoint('react.after_commit')
  return { result: verdict }
}

const prepare = async (
  { database }: HandlerContext,
  reaction: EventHandler,
  envelope: Envelope,
) => {
  if (reaction.prepare === undefined) return
  const { organizationId } = envelope
  if (await read(database, organizationId, ({ tx }) => isErased(tx, organizationId))) return
  await reaction.prepare(database, envelope)
}

/** Why people are not told: the event never committed, or was settled before we were registered. */
const refuse = async (
  { database, logger }: HandlerContext,
  { consumer }: EventHandler,
  { id, producer }: Envelope,
) => {
  const standing = await outboxStatusOf(database.batchSql, producer, consumer, id)
  if (standing === 'receipted') return 'already'
  if (standing === 'unknown') {
    logger.warn({ consumer, eventId: id, producer }, 'event is not in its producer’s outbox')
    return 'never-committed'
  }
  if (standing === 'open') return null
  await receipt(database, consumer, id)
  return 'never-owed'
}

/**
 * From the second delivery on, in a transaction of its own and before parsing, so that a message that
 * kills the process is counted too. Without a transport's count every try counts.
 */
const count = async (
  database: Database,
  consumer: string,
  { eventId, subject, raw, delivery }: InboundEvent,
): Promise<number | 'receipted'> => {
  if (delivery === 1) return 1
  const [row] = await run<{ tries: number }>(
    database.batchSql,
    `INSERT INTO dead_event AS d (consumer, event_id, subject, raw, tries)
     SELECT $1::text, $2::uuid, $3::text, $4::bytea, $5::int
      WHERE NOT EXISTS (SELECT FROM inbox WHERE consumer = $1::text AND event_id = $2::uuid)
     ON CONFLICT (consumer, event_id) DO UPDATE SET tries = d.tries + 1 RETURNING tries`,
    [consumer, eventId, subject, raw, delivery === null ? 1 : 2],
  )
  return row?.tries ?? 'receipted'
}

/** Waiting, for a predecessor or for Postgres, is not a try. */
const uncount = async (
  database: Database,
  consumer: string,
  { eventId, delivery }: InboundEvent,
) => {
  if (delivery === 1) return
  await run(
    database.batchSql,
    `UPDATE dead_event SET tries = tries - 1 WHERE consumer = $1::text AND event_id = $2::uuid`,
    [consumer, eventId],
  )
}

const receipt = (database: Database, consumer: string, eventId: string) =>
  run(
    database.batchSql,
    `WITH forgotten AS (DELETE FROM dead_event WHERE consumer = $1::text AND event_id = $2::uuid)
     INSERT INTO inbox (consumer, event_id) VALUES ($1::text, $2::uuid) ON CONFLICT DO NOTHING`,
    [consumer, eventId],
  )

const UNKNOWN_ERROR = 'no error was recorded; the process may have died of it'

const quarantine = async (
  { database, logger, pauses }: HandlerContext,
  { consumer }: EventHandler,
  { eventId, subject }: InboundEvent,
): Promise<HandlerResult> => {
  await run(
    database.batchSql,
    `WITH kept AS (UPDATE dead_event SET error = coalesce(error, $3::text)
       WHERE consumer = $1::text AND event_id = $2::uuid)
     INSERT INTO inbox (consumer, event_id) VALUES ($1::text, $2::uuid) ON CONFLICT DO NOTHING`,
    [consumer, eventId, UNKNOWN_ERROR],
  )
  pauses.clear(consumer, eventId)
  logger.error({ consumer, eventId, subject, alarm: 'dead_event' }, 'event quarantined')
  return { result: 'quarantined' }
}

const MAX_ERROR_LENGTH = 1_000

const failed = async (
  { database, intervals, pauses, logger }: HandlerContext,
  { consumer }: EventHandler,
  { eventId, subject, delivery }: InboundEvent,
  { error, tries }: { error: unknown; tries: number },
): Promise<HandlerResult> => {
  const pauseMs = retryPauseMs(intervals, delivery ?? tries)
  pauses.set(consumer, eventId, pauseMs)
  logger.warn({ consumer, eventId, subject, tries, pauseMs, err: error }, 'event handler failed')
  await run(
    database.batchSql,
    `UPDATE dead_event SET error = $3::text WHERE consumer = $1::text AND event_id = $2::uuid`,
    [consumer, eventId, String(error).slice(0, MAX_ERROR_LENGTH)],
  )
  return { result: 'failed', error, pauseMs }
}
