/**
 * Plan of the faults of a soak, which the seed determines: which process is killed, stopped or
 * paused, and when. One fault at a time, so that another replica of the service always runs.
 */
import { createRandom } from '../kit/random.ts'

export const faultKinds = ['kill', 'stop', 'pause'] as const
export type FaultKind = (typeof faultKinds)[number]

export interface Fault {
  /** Time since the start of the load at which it begins. */
  atMs: number
  target: string
  kind: FaultKind
  /** Time until the process is started, or continued, again. */
  durationMs: number
}

const MIN_GAP_MS = 4_000
const MAX_GAP_MS = 12_000
const MIN_DURATION_MS = 500
const MAX_DURATION_MS = 8_000

export const planFaults = (options: {
  seed: number
  durationMs: number
  targets: readonly string[]
}): Fault[] => {
  const random = createRandom(options.seed)
  const between = (low: number, high: number) => low + random.below(high - low)
  const faults: Fault[] = []
  for (let atMs = between(MIN_GAP_MS, MAX_GAP_MS); atMs < options.durationMs; ) {
    const durationMs = between(MIN_DURATION_MS, MAX_DURATION_MS)
    faults.push({
      atMs,
      target: random.pick(options.targets),
      kind: random.pick(faultKinds),
      durationMs,
    })
    atMs += durationMs + between(MIN_GAP_MS, MAX_GAP_MS)
  }
  return faults
}

export const describeFault = ({ atMs, target, kind, durationMs }: Fault): string =>
  `${seconds(atMs)} s: ${kind} ${target} for ${seconds(durationMs)} s`

const seconds = (ms: number): string => (ms / 1_000).toFixed(1)
