/**
 * Simulated time: timers of the notifier and leases are columns that the database compares with its
 * clock, so that moving the columns back equals waiting.
 */
import { STALE_LOCATION_SECONDS } from '@status-page/contracts'
import type { World } from './world.ts'

/**
 * Advances the time of all timers, those of organizations as far as the test file has created them;
 * sends in progress are not affected.
 */
export const advanceTime = async (
  { admin, since }: Pick<World, 'admin' | 'since'>,
  seconds: number,
): Promise<void> => {
  await admin.begin(async (tx) => {
    const ago = tx`make_interval(secs => ${seconds})`
    const isOwn = tx`organization_id IN (
      SELECT id FROM gateway.organizations WHERE created_at >= ${since})`
    await tx`
      UPDATE notifier.deliveries SET next_attempt_at = next_attempt_at - ${ago},
        created_at = created_at - ${ago}, expires_at = expires_at - ${ago}
      WHERE state = 'pending' AND ${isOwn}`
    await tx`
      UPDATE notifier.destinations SET blocked_until = blocked_until - ${ago},
        first_fail_at = first_fail_at - ${ago}, history_since = history_since - ${ago}
      WHERE ${isOwn}`
    await tx`
      UPDATE notifier.deliveries SET finished_at = finished_at - ${ago}
      WHERE state = 'delivered' AND ${isOwn}`
    await tx`UPDATE notifier.transports SET blocked_until = blocked_until - ${ago}`
    await tx`
      UPDATE notifier.delivery_attempts SET started_at = started_at - ${ago} WHERE ${isOwn}`
    await tx`UPDATE notifier.rate_hits SET at = at - ${ago}`
    await tx`SELECT pg_notify('notifier_deliveries_due', '')`
  })
}

/**
 * Expires the leases of deliveries, as if their worker had stopped; the reaper's next run returns
 * them.
 */
export const expireLeases = async ({ admin }: Pick<World, 'admin'>): Promise<void> => {
  await admin`UPDATE notifier.deliveries SET lease_until = now() WHERE state = 'sending'`
}

/**
 * Expires the leases of applies and Git syncs whose process was killed. A running one renews its
 * lease.
 */
export const expireConfigurationLeases = async ({ admin }: Pick<World, 'admin'>): Promise<void> => {
  await admin`UPDATE config_sync.applies SET lease_until = now() WHERE finished_at IS NULL`
  await admin`UPDATE config_sync.git_sync_runs SET lease_until = now() WHERE status = 'running'`
}

/** Ends the interval since the last polls of the status pages of vendors. */
export const makeVendorsDue = async ({ admin }: Pick<World, 'admin'>): Promise<void> => {
  await admin`UPDATE monitor.vendor_pages SET next_poll_at = now() WHERE next_poll_at > now()`
}

/** Moves the last contact with private locations back by the time after which they are stale. */
export const makeLocationsStale = async ({ admin }: Pick<World, 'admin'>): Promise<void> => {
  await admin`
    UPDATE monitor.private_locations
    SET last_contact_at = last_contact_at - make_interval(secs => ${STALE_LOCATION_SECONDS})`
}
