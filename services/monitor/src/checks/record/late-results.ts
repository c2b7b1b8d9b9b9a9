/** Bounds after which a check is too late for the roll-up of its interval. */

/**
 * Time after which the checks of a slot are stored: at most a minute for the check and a second for
 * the flush.
 */
export const SETTLE_SECONDS = 90

/** Maximum time between the timestamp of a transaction and its commit. */
const COMMIT_SECONDS = 15

/** Postgres interval; a check stored later than this after its slot is rolled up separately. */
export const LATE_AFTER = `${SETTLE_SECONDS - COMMIT_SECONDS} seconds`
