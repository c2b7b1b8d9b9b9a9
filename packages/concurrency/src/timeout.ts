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
  const timer = setTimeout(resolve, timeoutMs, TIMED_OUT)
  try {
    const first = await Promise.race([work, promise])
    return first === TIMED_OUT ? onTimeout() : first
  } finally {
    clearTimeout(timer)
  }
}

const TIMED_OUT = Symbol('timed out')
