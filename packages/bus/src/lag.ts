/**
 * Which producers' events do not get to whom: what a consumer lacks and nobody has published for too long.
 * One statement looks at all producers; only where something waits is it asked for whom.
 */
import type { ServiceName } from '@status-page/contracts'
import { type EventHandler, kindsOf, producersOf } from './event-handler.ts'
import type { HandlerContext } from './handle-event.ts'
import { isAnyLate, isLagging, type OutboxPosition } from './outbox-queries.ts'

export interface Lag {
  /** Producers that the consumer has to ask itself, as of the last look. */
  of(consumer: string): readonly ServiceName[]
  /** Nothing in a bypass, when every producer's feed is read anyway. */
  look(): Promise<undefined>
}

export const createLag = (desk: HandlerContext, isBypassing: () => boolean): Lag => {
  const { reactions, intervals } = desk
  const { batchSql } = desk.database
  const lagMs = intervals.unpublishedLagMs
  const looks = reactions.flatMap((reaction) =>
    producersOf(reaction).map((producer) => lookOf(reaction, producer)),
  )
  const producers = [...new Set(looks.map(({ producer }) => producer))]
  let lagging: readonly OutboxPosition[] = []

  const lookAtEach = async (): Promise<OutboxPosition[]> => {
    const found: OutboxPosition[] = []
    for (const look of looks) if (await isLagging(batchSql, look, lagMs)) found.push(look)
    return found
  }
  return {
    of: (consumer) =>
      lagging.filter((look) => look.consumer === consumer).map(({ producer }) => producer),
    async look() {
      if (producers.length === 0 || isBypassing()) return undefined
      lagging = (await isAnyLate(batchSql, producers, lagMs)) ? await lookAtEach() : []
      return undefined
    },
  }
}

export const lookOf = (reaction: EventHandler, producer: ServiceName): OutboxPosition => ({
  producer,
  consumer: reaction.consumer,
  kinds: kindsOf(reaction),
})
