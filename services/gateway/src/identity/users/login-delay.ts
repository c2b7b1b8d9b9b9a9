/**
 * Delay after failed logins: ten failures in 15 minutes block an account for one minute; each
 * further failure doubles the time, up to 15 minutes.
 */

const MINUTE_MS = 60_000
export const MAX_FAILURES = 10
export const FAILURE_WINDOW_MS = 15 * MINUTE_MS
export const MAX_BLOCK_MS = 15 * MINUTE_MS

export interface LoginFailures {
  /** Times of the last attempts without a success, oldest first; at most ten. */
  failedAt: Date[]
  /** Count of blocks since the failures were last reset. */
  blocks: number
  blockedUntil: Date | null
}

export const noLoginFailures: LoginFailures = { failedAt: [], blocks: 0, blockedUntil: null }

export type LoginAttempt =
  | { allowed: true; next: LoginFailures }
  | { allowed: false; retryAfterMs: number }

/**
 * Decides on an attempt before its password is verified and counts it as failed, so that parallel
 * guesses cannot all pass on the same count. A success resets the count.
 */
export const countLoginAttempt = (state: LoginFailures, now: Date): LoginAttempt => {
  const waitMs = (state.blockedUntil?.getTime() ?? 0) - now.getTime()
  // Parallel attempts read the clock separately: `now` may be slightly before the start of the
  // block.
  if (waitMs > 0)
    return { allowed: false, retryAfterMs: Math.min(waitMs, blockDurationMs(state.blocks)) }
  const current = isExpired(state, now) ? noLoginFailures : state
  const since = now.getTime() - FAILURE_WINDOW_MS
  const failedAt = [...current.failedAt.filter((at) => at.getTime() > since), now].slice(
    -MAX_FAILURES,
  )
  // After the first block, each further failure blocks again.
  if (failedAt.length < MAX_FAILURES && current.blocks === 0) {
    return { allowed: true, next: { ...current, failedAt } }
  }
  const blocks = current.blocks + 1
  const blockedUntil = new Date(now.getTime() + blockDurationMs(blocks))
  return { allowed: true, next: { failedAt, blocks, blockedUntil } }
}

/** Duration of a block: one minute, doubling up to 15 minutes. */
export const blockDurationMs = (blocks: number): number =>
  Math.min(MINUTE_MS * 2 ** (blocks - 1), MAX_BLOCK_MS)

/** Returns whether one window has passed since the last failure and the last block. */
const isExpired = ({ failedAt, blockedUntil }: LoginFailures, now: Date): boolean => {
  const last = Math.max(failedAt.at(-1)?.getTime() ?? 0, blockedUntil?.getTime() ?? 0)
  return now.getTime() - last >= FAILURE_WINDOW_MS
}
