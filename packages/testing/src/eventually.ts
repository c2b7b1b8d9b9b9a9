/** Polls until a condition holds, then returns its value. */
import { setTimeout as pause } from 'node:timers/promises'

const DEFAULT_TIMEOUT_MS = 10_000
const MIN_POLL_MS = 20
const MAX_POLL_MS = 500
/** A poll may call several processes; a wait takes at most this share longer than needed. */
const POLL_SHARE = 0.1

export interface EventuallyOptions {
  timeoutMs?: number
}

/** Waits until `condition` neither throws nor returns false, null or undefined. */
export const eventually = async <T>(
  condition: () => T | Promise<T>,
  { timeoutMs = DEFAULT_TIMEOUT_MS }: EventuallyOptions = {},
): Promise<NonNullable<Exclude<T, false>>> => {
  const startedAt = performance.now()
  for (;;) {
    const attempt = await attempted(condition)
    if (attempt.holds) return attempt.value as NonNullable<Exclude<T, false>>
    const elapsedMs = performance.now() - startedAt
    if (elapsedMs > timeoutMs) {
      throw new Error(`Did not hold within ${timeoutMs} ms`, { cause: attempt.cause })
    }
    await pause(Math.min(Math.max(MIN_POLL_MS, elapsedMs * POLL_SHARE), MAX_POLL_MS))
  }
}

const attempted = async <T>(condition: () => T | Promise<T>) => {
  try {
    const value = await condition()
    return { holds: value !== false && value !== null && value !== undefined, value, cause: value }
  } catch (cause) {
    return { holds: false, cause }
  }
}
