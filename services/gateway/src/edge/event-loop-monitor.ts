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

/** Ticks without a request after which the timer stops until the next one. */
const IDLE_TICKS = 40

/** Measures while there are requests: the ticks were a quarter of the wake-ups of an idle gateway. */
export const monitorEventLoop = (): EventLoopMonitor => {
  const { tick, isOverloaded } = createOverloadDetector()
  const { heap_size_limit: heapLimit } = getHeapStatistics()
  let timer: NodeJS.Timeout | null = null
  let ticksSinceRequest = 0
  const stop = () => {
    if (timer !== null) clearInterval(timer)
    timer = null
  }
  const start = () => {
    let lastMs = performance.now()
    timer = setInterval(() => {
      const nowMs = performance.now()
      tick(nowMs - lastMs - TICK_MS, getHeapStatistics().used_heap_size / heapLimit)
      lastMs = nowMs
      ticksSinceRequest += 1
      if (ticksSinceRequest > IDLE_TICKS && !isOverloaded()) stop()
    }, TICK_MS).unref()
  }
  return {
    isOverloaded() {
      ticksSinceRequest = 0
      if (timer === null) start()
      return isOverloaded()
    },
    stop,
  }
}
