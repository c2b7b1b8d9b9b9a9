/**
 * Which producers' events do not get to whom: what a consumer lacks and nobody has published for too long.
 * One statement looks at all producers; only where something waits is it asked for whom.
 */
import type { ServiceName } from '@status-page/contracts'
import { isAnyLate, isLagging, type Look } from './feeds.ts'
import type { Desk } from './react.ts'
import { kindsOf, producersOf, type Reaction } from './reaction.ts'

export interface Lag {
  /** Producers that the consumer has to ask itself, as of the last look. */
  of(consumer: string): readonly ServiceName[]
  /** Nothing in a bypass, when every producer's feed is read anyway. */
  look(): Promise<undefined>
}

export const createLag = (desk: Desk, isBypassing: () => boolean): Lag => {
  const { reactions, intervals } = desk
  const { hot } = desk.database
  const lagMs = intervals.unpublishedLagMs
  const looks = reactions.flatMap((reaction) =>
    producersOf(reaction).map((producer) => lookOf(reaction, producer)),
  )
  const producers = [...new Set(looks.map(({ producer }) => producer))]
  let lagging: readonly Look[] = []

  const lookAtEach = async (): Promise<Look[]> => {
    const found: Look[] = []
    for (const look of looks) if (await isLagging(hot, look, lagMs)) found.push(look)
    return found
  }
  return {
    of: (consumer) =>
      lagging.filter((look) => look.consumer === consumer).map(({ producer }) => producer),
    async look() {
      if (producers.length === 0 || isBypassing()) return undefined
      lagging = (await isAnyLate(hot, producers, lagMs)) ? await lookAtEach() : []
      return undefined
    },
  }
}

export const lookOf = (reaction: Reaction, producer: ServiceName): Look => ({
  producer,
  consumer: reaction.consumer,
  kinds: kindsOf(reaction),
})
