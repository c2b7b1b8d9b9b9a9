/** Memory of the processes and delay of the checks during a soak. */
import { readFileSync } from 'node:fs'
import type { StackProcess } from '@status-page/infra/local'

export interface Sample {
  atMs: number
  /** Resident memory in MiB by process; absent while it does not run. */
  memoryMib: Record<string, number>
  /** Mean delay of the checks since the last sample, in ms; null without checks. */
  lagMs: number | null
}

export type Processes = ReadonlyMap<string, Pick<StackProcess, 'pid' | 'origin'>>

interface LagTotals {
  sum: number
  count: number
}

/** Returns a function that takes a sample; it keeps the totals of each process to subtract them. */
export const createSampler = (processes: Processes): ((atMs: number) => Promise<Sample>) => {
  const totals = new Map<string, LagTotals>()
  return async (atMs) => {
    const running = [...processes].filter(([, { pid }]) => pid !== undefined)
    const memory = running.map(([name, { pid }]) => [name, residentMib(pid ?? 0)] as const)
    const memoryMib = Object.fromEntries(memory.filter(([, mib]) => mib > 0))
    let [sum, count] = [0, 0]
    for (const [name, { origin, pid }] of running) {
      if (!name.startsWith('monitor')) continue
      const key = `${name} ${pid}`
      const now = await lagTotalsOf(origin)
      const before = totals.get(key) ?? { sum: 0, count: 0 }
      if (now === null) continue
      totals.set(key, now)
      sum += now.sum - before.sum
      count += now.count - before.count
    }
    return { atMs, memoryMib, lagMs: count === 0 ? null : Math.round((sum / count) * 1_000) }
  }
}

const SAMPLE_TIMEOUT_MS = 2_000

/** Null while the process does not respond. */
const lagTotalsOf = async (origin: string): Promise<LagTotals | null> => {
  try {
    const response = await fetch(`${origin}/metrics`, {
      signal: AbortSignal.timeout(SAMPLE_TIMEOUT_MS),
    })
    const text = await response.text()
    const metric = (name: string) =>
      Number(new RegExp(`^monitor_schedule_lag_seconds_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
    return { sum: metric('sum'), count: metric('count') }
  } catch {
    return null
  }
}

/** Zero for a process that ends. */
const residentMib = (pid: number): number => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024)
  } catch {
    return 0
  }
}
