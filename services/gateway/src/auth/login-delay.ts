/** Guessing: ten failures in 15 minutes close an account's door for a minute, then for twice as long. */

const MINUTE_MS = 60_000
export const MAX_FAILURES = 10
export const FAILURE_WINDOW_MS = 15 * MINUTE_MS
export const MAX_BLOCK_MS = 15 * MINUTE_MS

export interface LoginFailures {
  /** The last attempts that were not followed by a success, oldest first; at most ten. */
  failedAt: Date[]
  /** How often the door has been closed since it was last forgotten. */
  blocks: number
  blockedUntil: Date | null
}

export const noFailures: LoginFailures = { failedAt: [], blocks: 0, blockedUntil: null }

export type Attempt =
  | { allowed: true; next: LoginFailures }
  | { allowed: false; retryAfterMs: number }

/**
 * Judges an attempt before its password is looked at, and counts it as failed: parallel guesses
 * would otherwise all be judged by the state before the first. A success forgets the count.
 */
export const attempt = (state: LoginFailures, now: Date): Attempt => {
  const waitMs = (state.blockedUntil?.getTime() ?? 0) - now.getTime()
  // Judged in parallel, `now` may lie a little before the moment that closed the door.
  if (waitMs > 0) return { allowed: false, retryAfterMs: Math.min(waitMs, blockMs(state.blocks)) }
  const known = isExpired(state, now) ? noFailures : state
  const since = now.getTime() - FAILURE_WINDOW_MS
  const failedAt = [...known.failedAt.filter((at) => at.getTime() > since), now].slice(
    -MAX_FAILURES,
  )
  // A door that was closed once closes again at the next failure.
  if (failedAt.length < MAX_FAILURES && known.blocks === 0) {
    return { allowed: true, next: { ...known, failedAt } }
  }
  const blocks = known.blocks + 1
  const blockedUntil = new Date(now.getTime() + blockMs(blocks))
  return { allowed: true, next: { failedAt, blocks, blockedUntil } }
}

/** A minute, doubling to 15. */
export const blockMs = (blocks: number): number =>
  Math.min(MINUTE_MS * 2 ** (blocks - 1), MAX_BLOCK_MS)

/** A window after the last failure and the last block, nothing is held against the account. */
const isExpired = ({ failedAt, blockedUntil }: LoginFailures, now: Date): boolean => {
  const last = Math.max(failedAt.at(-1)?.getTime() ?? 0, blockedUntil?.getTime() ?? 0)
  return now.getTime() - last >= FAILURE_WINDOW_MS
}
