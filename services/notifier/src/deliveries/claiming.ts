/**
 * Which deliveries one process takes next: of all organizations in turn the first of what is due, and where
 * that shows only what cannot go, all of it.
 */
import { asWorker, type Database } from '@status-page/postgres'
import { type ClaimedDelivery, claimDue, NIL } from './leases.ts'
import type { Pace } from './rate-limit-memory.ts'

/** Looking through everything costs as much as waits: a twentieth of the time may go into it. */
const PAUSES_PER_LOOK = 19

export interface ClaimingDeps {
  database: Database
  pace: Pace
  logger: { warn(details: object, message: string): void }
}

export const claiming = ({ database, pace, logger }: ClaimingDeps, way: string, owner: string) => {
  let after = NIL
  let lookAgainAt = 0

  const claim = (room: number, lookThrough: readonly string[]) =>
    asWorker(database, (systemScope) =>
      claimDue(systemScope, {
        owner,
        way,
        limit: pace.claimSize(room),
        after,
        lookThrough,
        isUnlimitedOnly: pace.isHeld(),
        isHeldFor: (organizationId) => way === 'webhook' && pace.isHeldFor(organizationId),
      }),
    )

  /** Nothing where it fails: what the claim before it has leased would wait for the end of its lease. */
  const lookBehind = async (
    room: number,
    crowded: readonly string[],
  ): Promise<ClaimedDelivery[]> => {
    const startedAt = performance.now()
    try {
      return (await claim(room, crowded)).claimed
    } catch (error) {
      logger.warn({ err: error, way }, 'deep claim failed')
      return []
    } finally {
      const endedAt = performance.now()
      lookAgainAt = endedAt + PAUSES_PER_LOOK * (endedAt - startedAt)
    }
  }

  return async (room: number): Promise<ClaimedDelivery[]> => {
    const { claimed, crowded, ...next } = await claim(room, [])
    after = next.after
    const left = room - claimed.length
    if (crowded.length === 0 || left <= 0 || performance.now() < lookAgainAt) return claimed
    return [...claimed, ...(await lookBehind(left, crowded))]
  }
}
