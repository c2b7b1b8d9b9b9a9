/**
 * Which deliveries one process takes next: of all organizations in turn the first of what is due, and where
 * that shows only what cannot go, all of it.
 */
import { crossDue, type Database } from '@status-page/postgres'
import { type Claimed, claimDue, NIL } from './leases.ts'
import type { Pace } from './pace.ts'

/** Looking through everything costs as much as waits: a twentieth of the time may go into it. */
const PAUSES_PER_LOOK = 19

export interface ClaimingDeps {
  database: Database
  pace: Pace
}

export const claiming = ({ database, pace }: ClaimingDeps, way: string, owner: string) => {
  let after = NIL
  let lookAgainAt = 0

  const claim = (room: number, lookThrough: readonly string[]) =>
    crossDue(database, (crossing) =>
      claimDue(crossing, {
        ...{ owner, way, limit: pace.worthClaiming(room), after, lookThrough },
        isUnlimitedOnly: pace.isHeld(),
        isHeldFor: (organizationId) => way === 'webhook' && pace.isHeldFor(organizationId),
      }),
    )

  return async (room: number): Promise<Claimed[]> => {
    const { claimed, crowded, ...next } = await claim(room, [])
    after = next.after
    const left = room - claimed.length
    const startedAt = performance.now()
    if (crowded.length === 0 || left <= 0 || startedAt < lookAgainAt) return claimed
    const behind = await claim(left, crowded)
    const endedAt = performance.now()
    lookAgainAt = endedAt + PAUSES_PER_LOOK * (endedAt - startedAt)
    return [...claimed, ...behind.claimed]
  }
}
