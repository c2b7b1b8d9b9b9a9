/**
 * Limits of wrong codes per account, over all client addresses: five in 15 minutes or twenty a day
 * lock it.
 */

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

interface CodeLimit {
  count: number
  windowMs: number
}

export const codeLimits: readonly CodeLimit[] = [
  { count: 5, windowMs: 15 * MINUTE_MS },
  { count: 20, windowMs: DAY_MS },
]

/**
 * Number of wrong codes a day after which the user is warned once: a caller that guesses codes
 * already has the password.
 */
export const WARN_AFTER_FAILURES = 3
export const FAILURE_RETENTION_MS = DAY_MS

export interface CodeFailures {
  /** Times of wrong codes of the last day, oldest first. */
  failedAt: Date[]
  warnedAt: Date | null
}

export const noCodeFailures: CodeFailures = { failedAt: [], warnedAt: null }

export interface CodeLock extends CodeLimit {
  retryAfterMs: number
}

/** Returns the reached limit that locks longest; null when none is reached. */
export const longestCodeLock = ({ failedAt }: CodeFailures, now: Date): CodeLock | null => {
  const locks = codeLimits.flatMap((limit) => {
    const deciding = failedAt.at(-limit.count)
    const retryAfterMs = (deciding?.getTime() ?? 0) + limit.windowMs - now.getTime()
    return retryAfterMs > 0 ? [{ ...limit, retryAfterMs }] : []
  })
  return locks.sort((left, right) => right.retryAfterMs - left.retryAfterMs)[0] ?? null
}

/** Counts a wrong code and returns whether the user has to be warned now. */
export const countWrongCode = (
  { failedAt, warnedAt }: CodeFailures,
  now: Date,
): { next: CodeFailures; shouldWarn: boolean } => {
  const since = now.getTime() - FAILURE_RETENTION_MS
  const recent = [...failedAt.filter((at) => at.getTime() > since), now]
  const shouldWarn =
    recent.length >= WARN_AFTER_FAILURES && (warnedAt === null || warnedAt.getTime() <= since)
  return { next: { failedAt: recent, warnedAt: shouldWarn ? now : warnedAt }, shouldWarn }
}
