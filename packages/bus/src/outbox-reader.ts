/**
 * Bypass: a consumer reads open events from the producers' outboxes while NATS does not deliver
 * them.
 */
import type { ServiceName } from '@status-page/contracts'
import type { HandlerContext } from './event-handler.ts'
import { type EventHandler, producersOf } from './event-handler.ts'
import { createRowHandler } from './handle-event.ts'
import { type LagMonitor, outboxFilterOf } from './lag.ts'
import type { Locks } from './locks.ts'
import { OUTBOX_READ_LIMIT, oldestUnhandledEvents, type Sql } from './outbox-queries.ts'

export interface OutboxReaderOptions {
  context: HandlerContext
  handler: EventHandler
  locks: Locks
  lag: Pick<LagMonitor, 'laggingProducers'>
  isBypassing: () => boolean
}

export interface OutboxReader {
  /** Resolves true when more events may be open; false at once while NATS delivers. */
  runOnce(signal: AbortSignal): Promise<boolean>
}

export const createOutboxReader = (options: OutboxReaderOptions): OutboxReader => {
  const { context, handler, lag, isBypassing } = options
  const producers = producersOf(handler)

  return {
    async runOnce(signal) {
      const sources = isBypassing() ? producers : lag.laggingProducers(handler.consumer)
      if (sources.length === 0) return false
      return options.locks.withLock(`bypass:${handler.consumer}`, () =>
        handleOpenEvents(context, handler, sources, signal),
      )
    },
  }
}

const handleOpenEvents = async (
  context: HandlerContext,
  handler: EventHandler,
  producers: readonly ServiceName[],
  signal: AbortSignal,
): Promise<boolean> => {
  let more = false
  const sql: Sql = context.database.batchSql
  for (const producer of producers) {
    const rows = await oldestUnhandledEvents(
      sql,
      outboxFilterOf(handler, producer),
      context.pauses.of(handler.consumer),
    )
    for (const row of rows) {
      if (signal.aborted) return false
      await createRowHandler(context)(handler, producer, row)
    }
    more ||= rows.length === OUTBOX_READ_LIMIT
  }
  return more
}
