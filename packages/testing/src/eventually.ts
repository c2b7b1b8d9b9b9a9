/** Polls until a condition holds, then returns its value. */
import { setTimeout as pause } from 'node:timers/promises'

const DEFAULT_TIMEOUT_MS = 10_000
const POLL_MS = 20

export interface EventuallyOptions {
  timeoutMs?: number
}

/** Waits until `condition` neither throws nor returns false, null or undefined. */
export const eventually = async <T>(
  condition: () => T | Promise<T>,
  { timeoutMs = DEFAULT_TIMEOUT_MS }: EventuallyOptions = {},
): Promise<NonNullable<Exclude<T, false>>> => {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const attempt = await attempted(condition)
    if (attempt.holds) return attempt.value as NonNullable<Exclude<T, false>>
    if (performance.now() > deadline) {
      throw new Error(`Did not hold within ${timeoutMs} ms`, { cause: attempt.cause })
    }
    await pause(POLL_MS)
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
