/**
 * Ordering before an event is handled: first the earlier versions of the same aggregate, then the
 * open events of the projection of subscribers. A recipient who subscribed before the incident is
 * therefore notified of it.
 */
import { type Envelope, nounOfKind, type ServiceName } from '@status-page/contracts'
import type { HandlerContext, HandlerResult } from './event-handler.ts'
import { type EventHandler, eventKindsOf } from './event-handler.ts'
import {
  countNextVersions,
  type OutboxEventRow,
  type OutboxFilter,
  unhandledEarlierVersions,
  unhandledEventsOfOrganization,
} from './outbox-queries.ts'

/**
 * Handles a row of an outbox; passed as a parameter to avoid an import cycle with
 * `handle-event.ts`.
 */
export type HandleRow = (
  handler: EventHandler,
  producer: ServiceName,
  row: OutboxEventRow,
) => Promise<HandlerResult>

/** Resolves false while a predecessor fails; the event then has to wait for it. */
export const handlePredecessors = async (
  context: HandlerContext,
  handler: EventHandler,
  envelope: Envelope,
  handleRow: HandleRow,
): Promise<boolean> => {
  const { batchSql } = context.database
  const filter = {
    producer: envelope.producer,
    consumer: handler.consumer,
    kinds: eventKindsOf(handler),
  }
  const loadEarlier = () => unhandledEarlierVersions(batchSql, filter, envelope.aggregate)
  if (
    !(await handleAllBatches(context, handler, {
      producer: envelope.producer,
      loadBatch: loadEarlier,
      handleRow,
    }))
  )
    return false
  const projection = projectionHandler(context, handler)
  for (const subscribers of projection === null ? [] : outboxFilters(projection, 'subscriber')) {
    const loadUnhandled = () =>
      unhandledEventsOfOrganization(batchSql, subscribers, 'subscriber', envelope.organizationId)
    const source = { producer: subscribers.producer, loadBatch: loadUnhandled, handleRow }
    if (projection && !(await handleAllBatches(context, projection, source))) return false
  }
  return true
}

/** Returns whether these events of one organization have no predecessors and are open. */
export const areNextVersions = async (
  { database }: HandlerContext,
  handler: EventHandler,
  envelopes: readonly Envelope[],
): Promise<boolean> => {
  const kinds = eventKindsOf(handler)
  const byProducer = Map.groupBy(envelopes, ({ producer }) => producer)
  for (const [producer, events] of byProducer) {
    const filter = { producer, consumer: handler.consumer, kinds }
    const ids = events.map(({ id }) => id)
    if ((await countNextVersions(database.batchSql, filter, ids)) < ids.length) return false
  }
  return true
}

const projectionHandler = (context: HandlerContext, handler: EventHandler): EventHandler | null => {
  const consumer = handler.requiresOrdering?.catchUp.subscribersVia
  return context.eventHandlers.find((other) => other.consumer === consumer) ?? null
}

/** Outboxes that may hold events of the projection about aggregates of one type. */
export const outboxFilters = (projection: EventHandler, type: string): OutboxFilter[] => {
  const about = projection.on.filter(({ kind }) => nounOfKind(kind) === type)
  const producers = new Set(about.flatMap((event) => event.producers))
  const kinds = about.map(({ kind }) => kind)
  return [...producers].map((producer) => ({ producer, consumer: projection.consumer, kinds }))
}

interface EventSource {
  producer: ServiceName
  loadBatch: () => Promise<OutboxEventRow[]>
  handleRow: HandleRow
}

/** Handles batch after batch. A handled row has a receipt, so the next batch excludes it. */
export const handleAllBatches = async (
  context: HandlerContext,
  handler: EventHandler,
  { producer, loadBatch, handleRow }: EventSource,
): Promise<boolean> => {
  for (let rows = await loadBatch(); rows.length > 0; rows = await loadBatch()) {
    for (const row of rows) {
      if (context.pauses.has(handler.consumer, row.id)) return false
      const handlerResult = await handleRow(handler, producer, row)
      if ('pauseMs' in handlerResult) return false
    }
  }
  return true
}
