/** Memory and processor time of processes with all their children, read from /proc. */
import { readdirSync, readFileSync } from 'node:fs'

const MICROS_PER_TICK = 10_000
const KIB = 1024

/** Returns the process and all its descendants. */
export const processAndDescendants = (pid: number): number[] => {
  const below = tasksOf(pid).flatMap((task) =>
    (read(`/proc/${pid}/task/${task}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  )
  return [pid, ...below.flatMap(processAndDescendants)]
}

/** Proportional set size in bytes: shared pages are divided among the processes that share them. */
export const residentBytes = (pids: readonly number[]): number => memoryOf(pids, 'Pss')

/**
 * Resident set size in bytes; pages that processes share, such as Node's own program, count once
 * per process.
 */
export const residentBytesOfEach = (pids: readonly number[]): number => memoryOf(pids, 'Rss')

const memoryOf = (pids: readonly number[], field: 'Pss' | 'Rss'): number =>
  sum(pids, (pid) => {
    const fields = read(`/proc/${pid}/smaps_rollup`) ?? ''
    const [, kib = '0'] = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(fields) ?? []
    return Number(kib) * KIB
  })

/** Processor time since their start, in µs. proc(5): utime and stime are the 14th and 15th field. */
export const processorMicros = (pids: readonly number[]): number => processorTime(pids, 13)

/**
 * The same with the ended children that each process has waited for. proc(5): cutime and cstime are
 * the 16th and 17th field.
 */
export const processorMicrosWithEnded = (pids: readonly number[]): number => processorTime(pids, 15)

const processorTime = (pids: readonly number[], endField: number): number =>
  sum(pids, (pid) => {
    // The second field, in brackets, may hold spaces.
    const [, fields = ''] = (read(`/proc/${pid}/stat`) ?? '').split(') ')
    const ticks = fields.split(' ').slice(11, endField).map(Number)
    return ticks.reduce((sum, count) => sum + count, 0) * MICROS_PER_TICK
  })

const sum = (pids: readonly number[], valueIn: (pid: number) => number): number =>
  pids.reduce((total, pid) => total + valueIn(pid), 0)

/** Null when the process is gone. */
const read = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return null
  }
}

const tasksOf = (pid: number): string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}
