/**
 * Event loop monitor: the process is overloaded when a timer is late several times in a row. One
 * late tick does not count: @fastify/under-pressure takes a sample without a tick for an infinite
 * delay and shed load after every pause.
 */
import { getHeapStatistics } from 'node:v8'

const TICK_MS = 250
const LATE_MS = 250
const LATE_IN_A_ROW = 4
/**
 * Share of the heap limit beyond which the garbage collector takes the processor and the process
 * soon ends.
 */
const MAX_HEAP_SHARE = 0.9

export interface EventLoopMonitor {
  isOverloaded(): boolean
  stop(): void
}

/**
 * Overload by the lateness of each tick and the share of the heap in use; pure, so that tests
 * inject a clock.
 */
export const createOverloadDetector = () => {
  let lateInARow = 0
  let isHeapFull = false
  return {
    tick(lateMs: number, heapShare: number) {
      lateInARow = lateMs > LATE_MS ? lateInARow + 1 : 0
      isHeapFull = heapShare > MAX_HEAP_SHARE
    },
    isOverloaded: () => isHeapFull || lateInARow >= LATE_IN_A_ROW,
  }
}

export const monitorEventLoop = (): EventLoopMonitor => {
  const { tick, isOverloaded } = createOverloadDetector()
  const { heap_size_limit: heapLimit } = getHeapStatistics()
  let lastMs = performance.now()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    tick(nowMs - lastMs - TICK_MS, getHeapStatistics().used_heap_size / heapLimit)
    lastMs = nowMs
  }, TICK_MS)
  timer.unref()
  return { isOverloaded, stop: () => clearInterval(timer) }
}
