/** Wrong codes of an account, over all addresses: five in 15 minutes or twenty a day close its door. */

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

/** After so many a day the user is told, once a day: whoever guesses codes has the password. */
export const WARN_AFTER = 3
export const FAILURE_RETENTION_MS = DAY_MS

export interface CodeFailures {
  /** Oldest first, of the last day. */
  failedAt: Date[]
  warnedAt: Date | null
}

export const noCodeFailures: CodeFailures = { failedAt: [], warnedAt: null }

export interface CodeLock extends CodeLimit {
  retryAfterMs: number
}

/** The limit that holds longest, or null while none is reached. */
export const codeLock = ({ failedAt }: CodeFailures, now: Date): CodeLock | null => {
  const locks = codeLimits.flatMap((limit) => {
    const deciding = failedAt.at(-limit.count)
    const retryAfterMs = (deciding?.getTime() ?? 0) + limit.windowMs - now.getTime()
    return retryAfterMs > 0 ? [{ ...limit, retryAfterMs }] : []
  })
  return locks.sort((left, right) => right.retryAfterMs - left.retryAfterMs)[0] ?? null
}

/** One more wrong code, and whether it is the one that the user is told of. */
export const countWrongCode = (
  { failedAt, warnedAt }: CodeFailures,
  now: Date,
): { next: CodeFailures; shouldWarn: boolean } => {
  const since = now.getTime() - FAILURE_RETENTION_MS
  const recent = [...failedAt.filter((at) => at.getTime() > since), now]
  const shouldWarn =
    recent.length >= WARN_AFTER && (warnedAt === null || warnedAt.getTime() <= since)
  return { next: { failedAt: recent, warnedAt: shouldWarn ? now : warnedAt }, shouldWarn }
}
