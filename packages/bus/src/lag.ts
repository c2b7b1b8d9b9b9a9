/**
 * Consumers that lack events because a producer's relay lags. One query checks all producers; the
 * affected consumers are queried only when an event is late.
 */
import type { ServiceName } from '@status-page/contracts'
import type { HandlerContext } from './event-handler.ts'
import { type EventHandler, eventKindsOf, producersOf } from './event-handler.ts'
import { isAnyEventUnpublishedFor, isConsumerLagging, type OutboxFilter } from './outbox-queries.ts'

export interface LagMonitor {
  /** Producers whose outbox the consumer has to read itself, as of the last check. */
  laggingProducers(consumer: string): readonly ServiceName[]
  /** Skipped in bypass mode, in which every producer's outbox is read anyway. */
  check(): Promise<undefined>
}

export const createLagMonitor = (
  context: HandlerContext,
  isBypassing: () => boolean,
): LagMonitor => {
  const { eventHandlers, intervals } = context
  const { batchSql } = context.database
  const lagMs = intervals.unpublishedLagMs
  const filters = eventHandlers.flatMap((handler) =>
    producersOf(handler).map((producer) => outboxFilterOf(handler, producer)),
  )
  const producers = [...new Set(filters.map(({ producer }) => producer))]
  let lagging: readonly OutboxFilter[] = []

  const findLagging = async (): Promise<OutboxFilter[]> => {
    const found: OutboxFilter[] = []
    for (const filter of filters) {
      if (await isConsumerLagging(batchSql, filter, lagMs)) found.push(filter)
    }
    return found
  }
  return {
    laggingProducers: (consumer) =>
      lagging.filter((filter) => filter.consumer === consumer).map(({ producer }) => producer),
    async check() {
      if (producers.length === 0 || isBypassing()) return undefined
      lagging = (await isAnyEventUnpublishedFor(batchSql, producers, lagMs))
        ? await findLagging()
        : []
      return undefined
    },
  }
}

export const outboxFilterOf = (handler: EventHandler, producer: ServiceName): OutboxFilter => ({
  producer,
  consumer: handler.consumer,
  kinds: eventKindsOf(handler),
})
