/**
 * Stores a transition of a heartbeat with its results, which count like those of checks. The row of
 * the heartbeat is locked, so that each missed time and each ping counts once.
 */
import { DEFAULT_LOCATION, type EventDraft, type ProbeResult } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { notMeasured } from '@status-page/probes'
import { type Recorded, recordChecks } from '../checks/record/record.ts'
import { checkRowOf } from '../checks/record/rows.ts'
import type { TargetRow } from '../targets/store.ts'
import { type HeartbeatRow, saveHeartbeat } from './store.ts'
import {
  dueTimeOf,
  type HeartbeatResult,
  type HeartbeatSettings,
  type HeartbeatState,
  type Transition,
} from './transitions.ts'

/** Target of kind `heartbeat`. */
export type HeartbeatTarget = TargetRow & { probe: HeartbeatSettings }

export const isHeartbeat = (target: TargetRow): target is HeartbeatTarget =>
  target.probe.kind === 'heartbeat'

export const stateOf = ({ expectedAt, runs }: HeartbeatRow): HeartbeatState => ({
  expectedMs: expectedAt?.getTime() ?? null,
  runs,
})

const timeOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

/** Columns of a state; a disabled heartbeat is not due. */
export const columnsOf = (
  state: HeartbeatState,
  { probe, isEnabled }: Pick<HeartbeatTarget, 'probe' | 'isEnabled'>,
) => ({
  expectedAt: timeOf(state.expectedMs),
  runs: state.runs,
  dueAt: isEnabled ? timeOf(dueTimeOf(state, probe)) : null,
})

export interface HeartbeatChange extends Transition {
  target: HeartbeatTarget
  /** Other changed columns. */
  columns?: Partial<Pick<HeartbeatRow, 'lastPingAt' | 'pings'>>
}

/** Saves changes of several heartbeats; returns the events of changed statuses. */
export const saveChanges = async (
  scope: Scope,
  changes: readonly HeartbeatChange[],
): Promise<EventDraft[]> => {
  for (const { target, state, columns } of changes) {
    await saveHeartbeat(scope, target.componentId, { ...columnsOf(state, target), ...columns })
  }
  const checks = changes.flatMap(({ target, results }) =>
    results.map((result) => recordedOf(scope, target, result)),
  )
  return (await recordChecks(scope, DEFAULT_LOCATION, checks)).events
}

/** Partitions of checks begin with those of yesterday. */
const MAX_AGE_MS = 86_400_000

const recordedOf = (
  scope: Scope,
  target: HeartbeatTarget,
  { atMs, error }: HeartbeatResult,
): Recorded => {
  const checkedAtMs = Math.max(atMs, scope.now.getTime() - MAX_AGE_MS)
  const status = error === null ? 'SUCCESS' : error === 'run_failed' ? 'FAILURE' : 'ERROR'
  const result: ProbeResult = { ...notMeasured, status, error, checkedAtMs }
  const when = { slotMs: checkedAtMs, location: DEFAULT_LOCATION, trigger: 'schedule' } as const
  return { target, result, row: checkRowOf(target, result, when), lease: null }
}
