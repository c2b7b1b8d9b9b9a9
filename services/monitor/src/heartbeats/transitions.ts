/**
 * State of a heartbeat: the expected ping, the open runs, and the results of pings and of missed
 * times. Pure; a result is dated to its ping or to the time that was missed.
 */
import {
  type CheckError,
  type HeartbeatSchedule,
  MAX_OPEN_RUNS,
  type PingKind,
  type ProbeSettings,
} from '@status-page/contracts'
import { cronTimeAfter, cronTimeUntil } from '@status-page/schedule'

const SECOND_MS = 1000

export type HeartbeatSettings = ProbeSettings<'heartbeat'>

/** Run that has started and not ended. */
export interface OpenRun {
  run: string | null
  startedMs: number
  /** Null without a maximum duration. */
  deadlineMs: number | null
}

export interface HeartbeatState {
  /** Next expected ping; null until the first one. */
  expectedMs: number | null
  /** Open runs, oldest first. */
  runs: readonly OpenRun[]
}

export interface Ping {
  kind: PingKind
  run: string | null
  atMs: number
}

/** Result of a ping, a missed time or a deadline; an error of null is success. */
export interface HeartbeatResult {
  atMs: number
  error: CheckError | null
}

export interface Transition {
  state: HeartbeatState
  results: HeartbeatResult[]
}

export interface PingTransition extends Transition {
  /** Time since the start of the run that the ping ended. */
  durationMs: number | null
}

/** Time at which a missed ping or a run that takes too long is noticed; null without one. */
export const dueTimeOf = (
  { expectedMs, runs }: HeartbeatState,
  { startGraceSeconds }: HeartbeatSettings,
): number | null => {
  const times = runs.flatMap(({ deadlineMs }) => deadlineMs ?? [])
  if (expectedMs !== null) times.push(expectedMs + startGraceSeconds * SECOND_MS)
  return times.length === 0 ? null : Math.min(...times)
}

/** Applies the times that were missed until `nowMs`; several missed pings are one result. */
export const applyMissed = (
  state: HeartbeatState,
  settings: HeartbeatSettings,
  nowMs: number,
): Transition => {
  const isLate = ({ deadlineMs }: OpenRun) => deadlineMs !== null && deadlineMs <= nowMs
  const results = state.runs
    .filter(isLate)
    .map(
      ({ deadlineMs }): HeartbeatResult => ({ atMs: deadlineMs ?? nowMs, error: 'run_too_long' }),
    )
  const runs = state.runs.filter((run) => !isLate(run))
  const graceMs = settings.startGraceSeconds * SECOND_MS
  const { expectedMs } = state
  if (expectedMs === null || expectedMs + graceMs > nowMs) {
    return { state: { expectedMs, runs }, results: byTime(results) }
  }
  results.push({ atMs: expectedMs + graceMs, error: 'heartbeat_missed' })
  const next = expectedAfterMiss(settings, expectedMs, nowMs - graceMs)
  return { state: { expectedMs: next, runs }, results: byTime(results) }
}

const byTime = (results: readonly HeartbeatResult[]): HeartbeatResult[] =>
  results.toSorted((left, right) => left.atMs - right.atMs)

/** First expected time after `sinceMs`, in the rhythm of the missed one. */
const expectedAfterMiss = (
  { schedule, periodSeconds }: HeartbeatSettings,
  missedMs: number,
  sinceMs: number,
): number | null => {
  if (schedule !== null) return cronTimeAfter(schedule, sinceMs)
  const periodMs = (periodSeconds ?? 1) * SECOND_MS
  return missedMs + Math.max(1, Math.floor((sinceMs - missedMs) / periodMs) + 1) * periodMs
}

/** Expected ping of a heartbeat whose definition begins to apply at `nowMs`. */
export const expectedFrom = (
  { schedule, periodSeconds }: HeartbeatSettings,
  nowMs: number,
): number | null =>
  schedule === null ? nowMs + (periodSeconds ?? 1) * SECOND_MS : cronTimeAfter(schedule, nowMs)

/** Applies a ping, after the times that were missed until it. */
export const applyPing = (
  before: HeartbeatState,
  settings: HeartbeatSettings,
  ping: Ping,
): PingTransition => {
  const { kind, run, atMs } = ping
  const missed = applyMissed(before, settings, atMs)
  const open = missed.state.runs.find((one) => one.run === run)
  const others = missed.state.runs.filter((one) => one !== open)
  const deadlineMs =
    settings.maxRunSeconds === null ? null : atMs + settings.maxRunSeconds * SECOND_MS
  const results = (error: CheckError | null) => [...missed.results, { atMs, error }]
  if (kind === 'start') {
    const runs = [...others, { run, startedMs: atMs, deadlineMs }].slice(-MAX_OPEN_RUNS)
    const expectedMs = expectedAfterPing(missed.state, settings, atMs)
    return { state: { expectedMs, runs }, results: missed.results, durationMs: null }
  }
  if (kind === 'alive' && open !== undefined) {
    const runs = missed.state.runs.map((one) => (one === open ? { ...open, deadlineMs } : one))
    return { state: { ...missed.state, runs }, results: missed.results, durationMs: null }
  }
  const durationMs = open === undefined ? null : atMs - open.startedMs
  // The start of the run has counted for its expected time.
  const expectedMs =
    open === undefined ? expectedAfterPing(missed.state, settings, atMs) : missed.state.expectedMs
  const error = errorOf(kind, settings, durationMs)
  return { state: { expectedMs, runs: others }, results: results(error), durationMs }
}

const errorOf = (
  kind: PingKind,
  { minRunSeconds }: HeartbeatSettings,
  durationMs: number | null,
): CheckError | null => {
  if (kind === 'fail') return 'run_failed'
  if (durationMs === null || minRunSeconds === null) return null
  return durationMs < minRunSeconds * SECOND_MS ? 'run_too_short' : null
}

/**
 * Expected ping after one at `atMs`. A late ping counts for the time that expected it, an early one
 * for the nearest time: that of a schedule may be the expected one or one before it.
 */
const expectedAfterPing = (
  { expectedMs }: HeartbeatState,
  settings: HeartbeatSettings,
  atMs: number,
): number | null => {
  const { schedule } = settings
  const next = expectedFrom(settings, atMs)
  if (schedule === null || next === null) return next
  if (expectedMs !== null && expectedMs <= atMs) return next
  const after = afterNearest(schedule, atMs, next)
  return after === null ? next : Math.max(after, expectedMs ?? after)
}

/** Time that follows the one that is nearest to `atMs`; `next` is the first one after it. */
const afterNearest = (schedule: HeartbeatSchedule, atMs: number, next: number): number | null => {
  const previous = cronTimeUntil(schedule, atMs)
  const isNextNearer = previous === null || next - atMs < atMs - previous
  return isNextNearer ? cronTimeAfter(schedule, next) : next
}
