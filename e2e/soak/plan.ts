/**
 * Plan of the faults of a soak, which the seed determines: which target has which fault, and when.
 * One fault at a time, so that another replica always runs.
 */
import { createRandom } from '../kit/random.ts'

/**
 * Kinds of faults: a process is killed, stopped or paused; a server is partitioned from its clients
 * and its cluster, or its connections are slow; the primary of Postgres is killed and the standby
 * replaces it.
 */
export type FaultKind = 'kill' | 'stop' | 'pause' | 'partition' | 'delay' | 'failover'

export interface Fault {
  /** Time since the start of the load at which it begins. */
  atMs: number
  target: string
  kind: FaultKind
  /** Time until the fault is repaired. */
  durationMs: number
}

export type FaultsOfTargets = ReadonlyMap<string, readonly FaultKind[]>

const MIN_GAP_MS = 4_000
const MAX_GAP_MS = 12_000
const MIN_DURATION_MS = 500
const MAX_DURATION_MS = 8_000

export const planFaults = (options: {
  seed: number
  durationMs: number
  targets: FaultsOfTargets
}): Fault[] => {
  const random = createRandom(options.seed)
  const between = (low: number, high: number) => low + random.below(high - low)
  const targets = [...options.targets]
  const faults: Fault[] = []
  for (let atMs = between(MIN_GAP_MS, MAX_GAP_MS); atMs < options.durationMs; ) {
    const durationMs = between(MIN_DURATION_MS, MAX_DURATION_MS)
    const [target, kinds] = random.pick(targets)
    faults.push({ atMs, target, kind: random.pick(kinds), durationMs })
    atMs += durationMs + between(MIN_GAP_MS, MAX_GAP_MS)
  }
  return faults
}

export const describeFault = ({ atMs, target, kind, durationMs }: Fault): string =>
  `${seconds(atMs)} s: ${kind} ${target} for ${seconds(durationMs)} s`

const seconds = (ms: number): string => (ms / 1_000).toFixed(1)
