/** Bypass: a consumer reads open events from the producers' feeds because NATS does not bring them. */
import type { ServiceName } from '@status-page/contracts'
import { type EventHandler, producersOf } from './event-handler.ts'
import { type HandlerContext, takeBy } from './handle-event.ts'
import { type Lag, lookOf } from './lag.ts'
import type { Locks } from './locks.ts'
import { FEED_LIMIT, openEvents, type Sql } from './outbox-queries.ts'

export interface BypassOptions {
  desk: HandlerContext
  reaction: EventHandler
  locks: Locks
  lag: Pick<Lag, 'of'>
  isBypassing: () => boolean
}

export interface Bypass {
  /** True when there may be more at once. */
  turn(signal: AbortSignal): Promise<boolean>
}

export const createBypass = (options: BypassOptions): Bypass => {
  const { desk, reaction, lag, isBypassing } = options
  const producers = producersOf(reaction)

  return {
    async turn(signal) {
      const from = isBypassing() ? producers : lag.of(reaction.consumer)
      if (from.length === 0) return false
      return options.locks.holding(`bypass:${reaction.consumer}`, () =>
        takeFrom(desk, reaction, from, signal),
      )
    },
  }
}

const takeFrom = async (
  desk: HandlerContext,
  reaction: EventHandler,
  producers: readonly ServiceName[],
  signal: AbortSignal,
): Promise<boolean> => {
  let more = false
  const sql: Sql = desk.database.batchSql
  for (const producer of producers) {
    const rows = await openEvents(
      sql,
      lookOf(reaction, producer),
      desk.pauses.of(reaction.consumer),
    )
    for (const row of rows) {
      if (signal.aborted) return false
      await takeBy(desk)(reaction, producer, row)
    }
    more ||= rows.length === FEED_LIMIT
  }
  return more
}
