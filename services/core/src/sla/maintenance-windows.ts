/**
 * Marks the parts of status histories during an active maintenance of their component, whatever
 * status was displayed: an incident takes precedence over the maintenance that causes it. Pure.
 */
import type { Cooperative } from '@status-page/contracts'
import type { StatusIntervalWithSource } from '../components/uptime/history.ts'
import type { TimeSpan } from '../components/uptime/uptime.ts'
import type { SlaHistories, SlaInterval } from './measurement.ts'
import { STEP_ENTRIES, sortInSteps } from './steps.ts'

/** Active times of the maintenances that list a component, by component id; they may overlap. */
export type MaintenanceWindows = ReadonlyMap<string, readonly TimeSpan[]>

export function* markMaintenances(
  histories: ReadonlyMap<string, readonly StatusIntervalWithSource[]>,
  windows: MaintenanceWindows,
): Cooperative<SlaHistories> {
  const result = new Map<string, readonly SlaInterval[]>()
  for (const [id, history] of histories) {
    const spans = yield* merged(windows.get(id) ?? [])
    result.set(id, spans.length === 0 ? history : yield* marked(history, spans))
    yield
  }
  return result
}

/** Sorted spans without overlaps. */
function* merged(spans: readonly TimeSpan[]): Cooperative<TimeSpan[]> {
  const result: TimeSpan[] = []
  const sorted = yield* sortInSteps(spans, (left, right) => left.from - right.from)
  for (const [index, { from, to }] of sorted.entries()) {
    if (index % STEP_ENTRIES === 0) yield
    const last = result.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else result.push({ from, to })
  }
  return result
}

/** Marks the parts in one pass over both sorted lists. */
function* marked(
  history: readonly StatusIntervalWithSource[],
  spans: readonly TimeSpan[],
): Cooperative<SlaInterval[]> {
  const result: SlaInterval[] = []
  let next = 0
  let steps = 0
  for (const interval of history) {
    if (steps++ % STEP_ENTRIES === 0) yield
    const end = interval.endedAt ?? Number.POSITIVE_INFINITY
    let start = interval.startedAt
    const add = (to: number, duringMaintenance: boolean) => {
      if (to <= start) return
      const endedAt = to === Number.POSITIVE_INFINITY ? null : to
      result.push({ ...interval, startedAt: start, endedAt, duringMaintenance })
      start = to
    }
    while (next < spans.length && (spans[next] as TimeSpan).to <= start) {
      if (steps++ % STEP_ENTRIES === 0) yield
      next++
    }
    for (let index = next; start < end; index++) {
      if (steps++ % STEP_ENTRIES === 0) yield
      const span = spans[index]
      add(Math.min(end, span?.from ?? end), false)
      if (span !== undefined) add(Math.min(end, span.to), true)
    }
  }
  return result
}
