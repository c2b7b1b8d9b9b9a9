/**
 * Stores a transition of a heartbeat with its results, which count like those of checks. The row of
 * the heartbeat is locked, so that each missed time and each ping counts once.
 */
import { DEFAULT_LOCATION, type EventDraft, type ProbeResult } from '@status-page/contracts'
import { notMeasured } from '@status-page/probes'
import { type Recorded, recordChecks } from '../checks/record/record.ts'
import { type CheckRow, checkRowOf } from '../checks/record/rows.ts'
import type { RecordingScope } from '../target-key.ts'
import type { TargetRow } from '../targets/store.ts'
import { type HeartbeatRow, type SavedHeartbeat, saveHeartbeats } from './store.ts'
import {
  dueTimeOf,
  type HeartbeatResult,
  type HeartbeatSettings,
  type HeartbeatState,
  type Transition,
} from './transitions.ts'

/** Target of kind `heartbeat`. */
export type HeartbeatTarget<Target extends Pick<TargetRow, 'probe'> = TargetRow> = Target & {
  probe: HeartbeatSettings
}

export const isHeartbeat = <Target extends Pick<TargetRow, 'probe'>>(
  target: Target,
): target is HeartbeatTarget<Target> => target.probe.kind === 'heartbeat'

export const stateOf = ({
  expectedAt,
  runs,
}: Pick<HeartbeatRow, 'expectedAt' | 'runs'>): HeartbeatState => ({
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

type ChangedTarget = Pick<TargetRow, 'organizationId' | 'componentId' | 'probe' | 'isEnabled'>

export interface HeartbeatChange<Target extends ChangedTarget = TargetRow> extends Transition {
  target: HeartbeatTarget<Target>
  row: Pick<HeartbeatRow, 'lastPingAt' | 'pings'>
}

export const savedOf = <Target extends ChangedTarget>({
  target,
  state,
  row: { lastPingAt, pings },
}: HeartbeatChange<Target>): SavedHeartbeat => {
  const { organizationId, componentId } = target
  return { organizationId, componentId, lastPingAt, pings, ...columnsOf(state, target) }
}

/** Saves changes of several heartbeats; returns the events of their changed statuses. */
export const saveChanges = async (
  scope: RecordingScope,
  changes: readonly HeartbeatChange[],
): Promise<EventDraft[]> => {
  await saveHeartbeats(scope, changes.map(savedOf))
  const checks = changes.flatMap(({ target, results }) =>
    results.map((result) => recordedOf(scope, target, result)),
  )
  return (await recordChecks(scope, DEFAULT_LOCATION, checks)).events
}

/** Partitions of checks begin with those of yesterday. */
const MAX_AGE_MS = 86_400_000

const recordedOf = (
  scope: RecordingScope,
  target: HeartbeatTarget,
  { atMs, error }: HeartbeatResult,
): Recorded => {
  const checkedAtMs = Math.max(atMs, scope.now.getTime() - MAX_AGE_MS)
  const status = error === null ? 'SUCCESS' : error === 'run_failed' ? 'FAILURE' : 'ERROR'
  const result: ProbeResult = { ...notMeasured, status, error, checkedAtMs }
  return { target, result, row: rowOf(target, result), lease: null }
}

/** Check of a successful ping. */
export const successRowOf = (
  target: Pick<TargetRow, 'organizationId' | 'componentId'>,
  atMs: number,
): CheckRow => rowOf(target, { ...notMeasured, status: 'SUCCESS', error: null, checkedAtMs: atMs })

const rowOf = (
  target: Pick<TargetRow, 'organizationId' | 'componentId'>,
  result: ProbeResult,
): CheckRow => {
  const { checkedAtMs: slotMs } = result
  return checkRowOf(target, result, { slotMs, location: DEFAULT_LOCATION, trigger: 'schedule' })
}
