/** Bypass: a consumer reads open events from the producers' feeds because NATS does not bring them. */
import type { ServiceName } from '@status-page/contracts'
import { FEED_LIMIT, isLagging, openEvents, type Sql } from './feeds.ts'
import type { Locks } from './locks.ts'
import { type Desk, takeBy } from './react.ts'
import { kindsOf, producersOf, type Reaction } from './reaction.ts'

export interface BypassOptions {
  desk: Desk
  reaction: Reaction
  locks: Locks
  isBypassing: () => boolean
  clock: () => number
}

export interface Bypass {
  /** True when there may be more at once. */
  turn(signal: AbortSignal): Promise<boolean>
}

export const createBypass = (options: BypassOptions): Bypass => {
  const { desk, reaction, isBypassing, clock } = options
  const producers = producersOf(reaction)
  let nextLagCheckMs = clock() + desk.intervals.lagCheckMs
  let lagging: readonly ServiceName[] = []

  /** One producer is bypassed when what it has for us stays unpublished: dead relay, refused row. */
  const lookForLag = async (): Promise<void> => {
    if (clock() < nextLagCheckMs) return
    nextLagCheckMs = clock() + desk.intervals.lagCheckMs
    const found: ServiceName[] = []
    for (const producer of producers) {
      const look = lookOf(reaction, producer)
      if (await isLagging(desk.database.hot, look, desk.intervals.unpublishedLagMs)) {
        found.push(producer)
      }
    }
    lagging = found
  }

  return {
    async turn(signal) {
      if (!isBypassing()) await lookForLag()
      const from = isBypassing() ? producers : lagging
      if (from.length === 0) return false
      return options.locks.holding(`bypass:${reaction.consumer}`, () =>
        takeFrom(desk, reaction, from, signal),
      )
    },
  }
}

const lookOf = (reaction: Reaction, producer: ServiceName) => ({
  producer,
  consumer: reaction.consumer,
  kinds: kindsOf(reaction),
})

const takeFrom = async (
  desk: Desk,
  reaction: Reaction,
  producers: readonly ServiceName[],
  signal: AbortSignal,
): Promise<boolean> => {
  let more = false
  const sql: Sql = desk.database.hot
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
