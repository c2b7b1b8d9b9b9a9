/** When a check comes too late for the roll-up of its time. */

/** A check ends at most a minute after its slot, and is stored a second later. */
export const SETTLE_SECONDS = 90

/** A transaction may commit this long after the time that it takes for its own. */
const COMMIT_SECONDS = 15

/** As an interval of Postgres: a check that is stored later after its slot is rolled up for itself. */
export const LATE_AFTER = `${SETTLE_SECONDS - COMMIT_SECONDS} seconds`
