/**
 * Claims deliveries for one worker: the head of each organization's queue in turn and, where a head
 * is blocked, a deep scan of that organization.
 */
import { asWorker, type Database } from '@status-page/postgres'
import { NIL_UUID } from '../../tables.ts'
import type { RateLimitMemory } from '../limits/rate-limit-memory.ts'
import { type ClaimedDelivery, claimDueDeliveries } from './leases.ts'

/**
 * A deep claim costs as much as the backlog is long; this factor limits deep claims to a twentieth
 * of the time.
 */
const DEEP_CLAIM_PAUSE_FACTOR = 19

export interface ClaimDeps {
  database: Database
  rateLimitMemory: RateLimitMemory
  logger: { warn(details: object, message: string): void }
}

export const createClaim = (
  { database, rateLimitMemory, logger }: ClaimDeps,
  worker: string,
  owner: string,
) => {
  let after = NIL_UUID
  let nextDeepClaimAt = 0

  const claim = (freeSlots: number, deepOrganizationIds: readonly string[]) =>
    asWorker(database, (systemScope) =>
      claimDueDeliveries(systemScope, {
        owner,
        worker,
        limit: rateLimitMemory.claimSize(freeSlots),
        after,
        deepOrganizationIds,
        isUnlimitedOnly: rateLimitMemory.isGlobalLimitFull(),
        isRateLimited: (organizationId) =>
          worker === 'webhook' && rateLimitMemory.isRateLimited(organizationId),
      }),
    )

  /**
   * Claims nothing when it fails: an error would leave the deliveries of the preceding claim leased
   * until expiry.
   */
  const claimDeep = async (
    freeSlots: number,
    overflowing: readonly string[],
  ): Promise<ClaimedDelivery[]> => {
    const startedAt = performance.now()
    try {
      return (await claim(freeSlots, overflowing)).claimed
    } catch (error) {
      logger.warn({ err: error, worker }, 'deep claim failed')
      return []
    } finally {
      const endedAt = performance.now()
      nextDeepClaimAt = endedAt + DEEP_CLAIM_PAUSE_FACTOR * (endedAt - startedAt)
    }
  }

  return async (freeSlots: number): Promise<ClaimedDelivery[]> => {
    const { claimed, overflowing, ...next } = await claim(freeSlots, [])
    after = next.after
    const left = freeSlots - claimed.length
    if (overflowing.length === 0 || left <= 0 || performance.now() < nextDeepClaimAt) return claimed
    return [...claimed, ...(await claimDeep(left, overflowing))]
  }
}
