/**
 * Events through one handler: the attempt is counted before the body is read, the effect commits
 * with its receipt, and the sixth failure quarantines the event. The receipt in `inbox` settles an
 * event, not the acknowledgement.
 */
import { AppError, type Envelope, systemActor } from '@status-page/contracts'
import {
  type Database,
  databaseErrorOf,
  faultPoint,
  isErased,
  MAX_ATTEMPTS,
  type OnceEvent,
  read,
  transactOnce,
} from '@status-page/postgres'
import { continueTrace, type SpanOptions } from '@status-page/tracing'
import { areNextVersions, type HandleRow, handlePredecessors } from './catch-up.ts'
import { kindOfSubject, messageBodyOf, parseEnvelope } from './envelope.ts'
import {
  type EventHandler,
  type HandlerContext,
  type HandlerResult,
  handlesKind,
} from './event-handler.ts'
import { retryPauseMs } from './intervals.ts'
import { outboxStatusOf, runStatement } from './outbox-queries.ts'

/** Event as received from a transport. */
export interface InboundEvent {
  eventId: string
  subject: string
  raw: Buffer
  /** Delivery count of the transport, from 1; null when the transport has none. */
  delivery: number | null
  /** W3C trace context of the event; absent or null without a trace. */
  traceparent?: string | null
}

/**
 * Handles events of one organization in their order. Those of a batched handler commit together; if
 * one of them fails, each is handled alone. Rejects only when the database is unreachable; no
 * attempt is counted then.
 */
export const handleEvents = async (
  context: HandlerContext,
  handler: EventHandler,
  events: readonly InboundEvent[],
): Promise<HandlerResult[]> => {
  const isBatch = events.length > 1 && events.every(({ delivery }) => delivery === 1)
  const handled = isBatch ? await handleTogether(context, handler, events) : null
  if (handled !== null) return handled
  const results: HandlerResult[] = []
  for (const event of events) results.push(await handleEvent(context, handler, event))
  return results
}

/** Handles one event. Rejects only when the database is unreachable; no attempt is counted then. */
export const handleEvent = async (
  context: HandlerContext,
  handler: EventHandler,
  event: InboundEvent,
): Promise<HandlerResult> => {
  faultPoint('react.after_receive')
  const kind = kindOfSubject(event.subject)
  if (kind !== null && !handlesKind(handler, kind)) return { result: 'not-handled' }
  return continueTrace(
    spanOf(handler, event),
    () => attempt(context, handler, event),
    ({ result }) => (result === 'failed' ? { errorType: result } : {}),
  )
}

const spanOf = ({ consumer }: EventHandler, event: InboundEvent): SpanOptions => {
  const kind = kindOfSubject(event.subject)
  return {
    name: `process ${kind}`,
    kind: 'consumer',
    parent: event.traceparent ?? null,
    attributes: {
      'messaging.operation.type': 'process',
      'messaging.destination.name': kind ?? '',
      'messaging.consumer.group.name': consumer,
      'messaging.message.id': event.eventId,
    },
  }
}

/**
 * Handles events of one organization, at their first delivery, in one transaction; returns null, and
 * changes nothing, when one of them fails or has a predecessor.
 */
const handleTogether = async (
  context: HandlerContext,
  handler: EventHandler,
  events: readonly InboundEvent[],
): Promise<HandlerResult[] | null> => {
  try {
    for (const _ of events) faultPoint('react.after_receive')
    const envelopes = events.map((event) => parseEnvelope(handler.on, event))
    const isOrdered = handler.requiresOrdering !== undefined
    if (isOrdered && !(await areNextVersions(context, handler, envelopes))) return null
    const batch = envelopes.map((envelope, index): OnceEvent => {
      const span = spanOf(handler, events[index] as InboundEvent)
      return {
        eventId: envelope.id,
        work: (scope) => handler.handle(scope, envelope),
        within: (run) => continueTrace(span, run, () => ({})),
      }
    })
    const [{ organizationId }] = envelopes as [Envelope]
    const results = await commitOnce(context, handler, organizationId, batch)
    return results.map((result) => ({ result }))
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    const { consumer } = handler
    context.logger.debug({ err: error, consumer, events: events.length }, 'batch of events failed')
    return null
  }
}

const attempt = async (
  context: HandlerContext,
  handler: EventHandler,
  event: InboundEvent,
): Promise<HandlerResult> => {
  const tries = await countAttempt(context.database, handler.consumer, event)
  if (tries === 'receipted') return { result: 'already' }
  if (tries >= MAX_ATTEMPTS) return quarantine(context, handler, event)
  try {
    const handlerResult = await handle(context, handler, parseEnvelope(handler.on, event))
    if (handlerResult.result === 'waiting') {
      await uncountAttempt(context.database, handler.consumer, event)
      context.pauses.set(handler.consumer, event.eventId, handlerResult.pauseMs)
    } else context.pauses.clear(handler.consumer, event.eventId)
    return handlerResult
  } catch (error) {
    if (!isDatabaseUnavailable(error))
      return recordFailure(context, handler, event, { error, tries })
    await uncountAttempt(context.database, handler.consumer, event)
    throw error
  }
}

const QUERY_CANCELED = '57014'

/**
 * Reports whether the failure is an unavailable database. A short overload must not quarantine
 * valid events; an event whose statement always times out must be quarantined.
 */
const isDatabaseUnavailable = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === 'SERVICE_UNAVAILABLE' &&
  databaseErrorOf(error.cause)?.code !== QUERY_CANCELED

/** Returns a function that handles a row of an outbox like a message. */
export const createRowHandler =
  (context: HandlerContext): HandleRow =>
  (handler, producer, row) =>
    handleEvent(context, handler, {
      eventId: row.id,
      subject: row.subject,
      raw: messageBodyOf(producer, row),
      delivery: null,
      traceparent: row.traceparent,
    })

const handle = async (
  context: HandlerContext,
  handler: EventHandler,
  envelope: Envelope,
): Promise<HandlerResult> => {
  if (handler.requiresOrdering !== undefined) {
    const reason = await skipReason(context, handler, envelope)
    if (reason !== null) return { result: reason }
    if (!(await handlePredecessors(context, handler, envelope, createRowHandler(context)))) {
      return { result: 'waiting', pauseMs: context.intervals.predecessorMs }
    }
  }
  await prepare(context, handler, envelope)
  const work: OnceEvent['work'] = (scope) => handler.handle(scope, envelope)
  const event = { eventId: envelope.id, work }
  const [result] = await commitOnce(context, handler, envelope.organizationId, [event])
  return { result: result ?? 'already' }
}

const commitOnce = async (
  { database }: HandlerContext,
  { consumer, afterErasure = false }: EventHandler,
  organizationId: string,
  events: readonly OnceEvent[],
) => {
  const by = { organizationId, actor: systemActor, consumer, afterErasure }
  const results = await transactOnce(database, by, events)
  faultPoint('react.after_commit')
  return results
}

const prepare = async ({ database }: HandlerContext, handler: EventHandler, envelope: Envelope) => {
  if (handler.prepare === undefined) return
  const { organizationId } = envelope
  if (await read(database, organizationId, ({ tx }) => isErased(tx, organizationId))) return
  await handler.prepare(database, envelope)
}

/**
 * Reason to skip an event: it never committed, or it was settled before the consumer was
 * registered.
 */
const skipReason = async (
  { database, logger }: HandlerContext,
  { consumer }: EventHandler,
  { id, producer }: Envelope,
) => {
  const status = await outboxStatusOf(database.batchSql, producer, consumer, id)
  if (status === 'receipted') return 'already'
  if (status === 'unknown') {
    logger.warn({ consumer, eventId: id, producer }, 'event is not in its producer’s outbox')
    return 'never-committed'
  }
  if (status === 'open') return null
  await insertReceipt(database, consumer, id)
  return 'not-registered'
}

/**
 * Counts an attempt from the second delivery on, in a transaction of its own and before parsing, so
 * that a message that kills the process is counted too. Without a delivery count every attempt
 * counts.
 */
const countAttempt = async (
  database: Database,
  consumer: string,
  { eventId, subject, raw, delivery }: InboundEvent,
): Promise<number | 'receipted'> => {
  if (delivery === 1) return 1
  const [row] = await runStatement<{ tries: number }>(
    database.batchSql,
    `INSERT INTO dead_event AS d (consumer, event_id, subject, raw, tries)
     SELECT $1::text, $2::uuid, $3::text, $4::bytea, $5::int
      WHERE NOT EXISTS (SELECT FROM inbox WHERE consumer = $1::text AND event_id = $2::uuid)
     ON CONFLICT (consumer, event_id) DO UPDATE SET tries = d.tries + 1 RETURNING tries`,
    [consumer, eventId, subject, raw, delivery === null ? 1 : 2],
  )
  return row?.tries ?? 'receipted'
}

/** Takes back an attempt that only waited for a predecessor or for Postgres. */
const uncountAttempt = async (
  database: Database,
  consumer: string,
  { eventId, delivery }: InboundEvent,
) => {
  if (delivery === 1) return
  await runStatement(
    database.batchSql,
    `UPDATE dead_event SET tries = tries - 1 WHERE consumer = $1::text AND event_id = $2::uuid`,
    [consumer, eventId],
  )
}

const insertReceipt = (database: Database, consumer: string, eventId: string) =>
  runStatement(
    database.batchSql,
    `WITH deleted AS (DELETE FROM dead_event WHERE consumer = $1::text AND event_id = $2::uuid)
     INSERT INTO inbox (consumer, event_id) VALUES ($1::text, $2::uuid) ON CONFLICT DO NOTHING`,
    [consumer, eventId],
  )

const UNKNOWN_ERROR = 'no error was recorded; the process may have died of it'

const quarantine = async (
  { database, logger, pauses }: HandlerContext,
  { consumer }: EventHandler,
  { eventId, subject }: InboundEvent,
): Promise<HandlerResult> => {
  await runStatement(
    database.batchSql,
    `WITH updated AS (UPDATE dead_event SET error = coalesce(error, $3::text)
       WHERE consumer = $1::text AND event_id = $2::uuid)
     INSERT INTO inbox (consumer, event_id) VALUES ($1::text, $2::uuid) ON CONFLICT DO NOTHING`,
    [consumer, eventId, UNKNOWN_ERROR],
  )
  pauses.clear(consumer, eventId)
  logger.error({ consumer, eventId, subject, alarm: 'dead_event' }, 'event quarantined')
  return { result: 'quarantined' }
}

const MAX_ERROR_LENGTH = 1_000

const recordFailure = async (
  { database, intervals, pauses, logger }: HandlerContext,
  { consumer }: EventHandler,
  { eventId, subject, delivery }: InboundEvent,
  { error, tries }: { error: unknown; tries: number },
): Promise<HandlerResult> => {
  const pauseMs = retryPauseMs(intervals, delivery ?? tries)
  pauses.set(consumer, eventId, pauseMs)
  logger.warn({ consumer, eventId, subject, tries, pauseMs, err: error }, 'event handler failed')
  await runStatement(
    database.batchSql,
    `UPDATE dead_event SET error = $3::text WHERE consumer = $1::text AND event_id = $2::uuid`,
    [consumer, eventId, String(error).slice(0, MAX_ERROR_LENGTH)],
  )
  return { result: 'failed', error, pauseMs }
}
