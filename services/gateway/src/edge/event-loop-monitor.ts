/**
 * Whether the process keeps up: a timer that comes late several times in a row. One stall is none:
 * @fastify/under-pressure takes a sample without a turn for an endless delay, and shed after every pause.
 */
import { getHeapStatistics } from 'node:v8'

const TICK_MS = 250
const LATE_MS = 250
const LATE_IN_A_ROW = 4
/** Beyond it the collector takes the processor, and soon the process ends. */
const MAX_HEAP_SHARE = 0.9

export interface EventLoopMonitor {
  isOverloaded(): boolean
  stop(): void
}

/** Told of each tick's lateness and of the heap's share in use; pure, for a clock of one's own. */
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
    tick(nowMs - lastMs - TICK_MS, process.memoryUsage().heapUsed / heapLimit)
    lastMs = nowMs
  }, TICK_MS)
  timer.unref()
  return { isOverloaded, stop: () => clearInterval(timer) }
}
