/** Processor time of work, which does not depend on other processes of the machine. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Cooperative } from '@status-page/contracts'

const MICROSECONDS_PER_MS = 1_000

/**
 * Returns the longest processor time of this thread without an event loop iteration, in ms, and the
 * result.
 */
export const longestEventLoopBlock = async <Result>(
  work: () => Promise<Result>,
): Promise<{ holdMs: number; result: Result }> => {
  let isOver = false
  let holdMs = 0
  const watch = async () => {
    while (!isOver) {
      const before = process.threadCpuUsage()
      await nextTurn()
      const { user, system } = process.threadCpuUsage(before)
      holdMs = Math.max(holdMs, (user + system) / MICROSECONDS_PER_MS)
    }
  }
  const watched = watch()
  try {
    const result = await work()
    return { holdMs, result }
  } finally {
    isOver = true
    await watched
  }
}

/** Returns the processor time of this thread for the work, in ms, and the result. */
export const measureProcessorTime = <Result>(
  work: () => Result,
): { processorMs: number; result: Result } => {
  const before = process.threadCpuUsage()
  const result = work()
  const { user, system } = process.threadCpuUsage(before)
  return { processorMs: (user + system) / MICROSECONDS_PER_MS, result }
}

/** Largest difference of the count between two pauses of a computation, which runs to its end. */
export const largestStep = (work: Cooperative<unknown>, countOf: () => number): number => {
  let largest = 0
  let isOver = false
  while (!isOver) {
    const before = countOf()
    isOver = work.next().done === true
    largest = Math.max(largest, countOf() - before)
  }
  return largest
}
