/** Timeouts that count only what had not arrived in time, also after a stall of the process. */

/**
 * Calls `onTimeout` after `timeoutMs`; returns the function that cancels it. After a stall, such as a
 * suspension of the process, timers fire before sockets are read, and the awaited response may be in
 * one: pending I/O is processed first, and may cancel.
 */
export const startTimeout = (onTimeout: () => void, timeoutMs: number): (() => void) => {
  let immediate: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    immediate = setImmediate(onTimeout)
  }, timeoutMs)
  return () => {
    clearTimeout(timer)
    clearImmediate(immediate)
  }
}

/**
 * Returns the result of the work, or that of `onTimeout`, which may throw, after `timeoutMs`. A later
 * rejection of the work is ignored, and no timer remains. It is own code because `p-timeout` also
 * calls `cancel` of a timed out promise, which for a query of postgres.js opens a connection.
 */
export const withTimeout = async <Result, Late>(
  work: Result | PromiseLike<Result>,
  timeoutMs: number,
  onTimeout: () => Late,
): Promise<Result | Late> => {
  const { promise, resolve } = Promise.withResolvers<typeof TIMED_OUT>()
  const cancel = startTimeout(() => resolve(TIMED_OUT), timeoutMs)
  try {
    const first = await Promise.race([work, promise])
    return first === TIMED_OUT ? onTimeout() : first
  } finally {
    cancel()
  }
}

const TIMED_OUT = Symbol('timed out')
