/** In-process bus for tests: handles every open outbox row of its services until none is left. */
import type { ServiceName } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import { pino } from 'pino'
import type { HandlerContext } from './event-handler.ts'
import { type EventHandler, eventKindsOf, producersOf } from './event-handler.ts'
import { createRowHandler } from './handle-event.ts'
import { DEFAULT_INTERVALS } from './intervals.ts'
import { oldestUnhandledEvents } from './outbox-queries.ts'
import { createRetryPauses } from './pauses.ts'

export interface MemoryBusService {
  database: Database
  eventHandlers: readonly EventHandler[]
}

export interface MemoryBus {
  /** Resolves with the number of events handled; rejects with the error of a failed handler. */
  drain(): Promise<number>
}

/** Maximum rounds before a cycle of events among the services is assumed. */
const MAX_ROUNDS = 1_000

export function memoryBus(services: readonly MemoryBusService[]): MemoryBus
export function memoryBus(t: unknown, services: readonly MemoryBusService[]): MemoryBus
export function memoryBus(first: unknown, second?: readonly MemoryBusService[]): MemoryBus {
  const services = second ?? (first as readonly MemoryBusService[])
  let handled = 0
  const counting = (handler: EventHandler): EventHandler => ({
    ...handler,
    handle(scope, envelope) {
      handled++
      return handler.handle(scope, envelope)
    },
  })
  const contexts = services.map(({ database, eventHandlers }) =>
    handlerContextOf(database, eventHandlers.map(counting)),
  )
  return {
    async drain() {
      handled = 0
      for (let round = 0; round < MAX_ROUNDS; round++) {
        let rows = 0
        for (const context of contexts) {
          for (const handler of context.eventHandlers)
            rows += await handleAllProducers(context, handler)
        }
        if (rows === 0) return handled
      }
      throw new Error(`events still cause events after ${MAX_ROUNDS} rounds`)
    },
  }
}

const handlerContextOf = (
  database: Database,
  eventHandlers: readonly EventHandler[],
): HandlerContext => ({
  database,
  eventHandlers,
  intervals: DEFAULT_INTERVALS,
  // The clock is fixed: a test retries a failed event by draining again.
  pauses: { ...createRetryPauses(() => 0), has: () => false },
  logger: pino({ level: 'silent' }),
})

const handleAllProducers = async (
  context: HandlerContext,
  handler: EventHandler,
): Promise<number> => {
  let rows = 0
  for (const producer of producersOf(handler))
    rows += await handleOpenEvents(context, handler, producer)
  return rows
}

const handleOpenEvents = async (
  context: HandlerContext,
  handler: EventHandler,
  producer: ServiceName,
): Promise<number> => {
  const filter = { producer, consumer: handler.consumer, kinds: eventKindsOf(handler) }
  const rows = await oldestUnhandledEvents(context.database.batchSql, filter, [])
  for (const row of rows) {
    const handlerResult = await createRowHandler(context)(handler, producer, row)
    if (handlerResult.result === 'failed') throw handlerResult.error
    if (handlerResult.result === 'waiting') throw new Error(`a predecessor of ${row.id} fails`)
  }
  return rows.length
}
