/** Load of the machine by processes that do not belong to a benchmark, read from /proc. */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { processAndDescendants, processorMicrosWithEnded } from './processes.ts'

const MICROS_PER_TICK = 10_000
/** Fields of the first line of /proc/stat without processor time: idle and iowait. */
const IDLE_FIELDS = new Set([3, 4])
const SAMPLE_MS = 1_000

/** Maximum processor time of other processes on an idle machine, in cores. */
export const IDLE_CORES = 0.1

/** Processor time of all processes and of this benchmark, in µs. */
interface ProcessorTimes {
  all: number
  own: number
  atMs: number
}

const processorTimes = (): ProcessorTimes => {
  const [total = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
  // Fields after system time of interrupts and stolen time repeat the time of guests.
  const fields = total.trim().split(/\s+/).slice(1, 9).map(Number)
  const busy = fields.reduce((sum, ticks, field) => (IDLE_FIELDS.has(field) ? sum : sum + ticks), 0)
  return {
    all: busy * MICROS_PER_TICK,
    own: processorMicrosWithEnded(processAndDescendants(process.pid)),
    atMs: performance.now(),
  }
}

/** Returns a function with the processor time of other processes since this call, in cores. */
export const observeOtherProcesses = (): (() => number) => {
  const before = processorTimes()
  return () => {
    const after = processorTimes()
    const micros = after.all - before.all - (after.own - before.own)
    return Math.max(0, micros) / ((after.atMs - before.atMs) * 1_000)
  }
}

/** Waits until other processes leave the machine idle, at most `seconds`; returns their load. */
export const waitForIdleMachine = async (seconds: number): Promise<number> => {
  const deadlineMs = performance.now() + seconds * 1_000
  for (;;) {
    const othersSince = observeOtherProcesses()
    await delay(SAMPLE_MS)
    const cores = othersSince()
    if (cores <= IDLE_CORES || performance.now() >= deadlineMs) return cores
  }
}
