/**
 * Consumers that lack events because a producer's relay lags. The observer's query checks all
 * producers; the affected consumers are queried only when an event is late.
 */
import type { ServiceName } from '@status-page/contracts'
import type { HandlerContext } from './event-handler.ts'
import { type EventHandler, eventKindsOf, producersOf } from './event-handler.ts'
import { isAnyEventLate, isConsumerLagging, type OutboxFilter } from './outbox-queries.ts'

export interface LagMonitor {
  /** Producers whose outbox the consumer has to read itself, as of the last update. */
  laggingProducers(consumer: string): readonly ServiceName[]
  isAnyLagging(): boolean
  /** Condition in SQL of an event of the producers that is late. */
  isAnyEventLate: string
  /** Finds the affected consumers. Skipped in bypass mode, which reads all outboxes anyway. */
  update(isAnyEventLate: boolean): Promise<void>
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
    isAnyLagging: () => lagging.length > 0,
    isAnyEventLate: isAnyEventLate(producers, lagMs),
    async update(isAnyEventLate) {
      if (!isBypassing()) lagging = isAnyEventLate ? await findLagging() : []
    },
  }
}

export const outboxFilterOf = (handler: EventHandler, producer: ServiceName): OutboxFilter => ({
  producer,
  consumer: handler.consumer,
  kinds: eventKindsOf(handler),
})
