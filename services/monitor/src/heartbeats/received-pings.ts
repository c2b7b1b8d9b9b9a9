/** Applies received pings to their heartbeat, in order of arrival. Pure. */
import { MAX_STORED_PINGS } from '@status-page/contracts'
import type { TargetRow } from '../targets/store.ts'
import { deriveStatus, type TargetState } from '../verdicts/rules.ts'
import { type HeartbeatChange, type HeartbeatTarget, stateOf } from './record.ts'
import type { HeartbeatRow, PingRow } from './store.ts'
import { applyPing, type HeartbeatResult } from './transitions.ts'

export interface ReceivedPing extends Pick<PingRow, 'kind' | 'exitCode' | 'run' | 'body'> {
  tokenHash: string
}

type PingedTarget = Pick<TargetRow, 'organizationId' | 'componentId' | 'probe' | 'isEnabled'>

interface AppliedPings<Target extends PingedTarget> {
  change: HeartbeatChange<Target>
  pings: PingRow[]
}

export const applyPings = <Target extends PingedTarget>(
  row: Pick<HeartbeatRow, 'lastPingAt' | 'pings' | 'expectedAt' | 'runs'>,
  target: HeartbeatTarget<Target>,
  received: readonly ReceivedPing[],
  now: Date,
): AppliedPings<Target> => {
  const { organizationId, componentId } = target
  const pings: PingRow[] = []
  const results: HeartbeatResult[] = []
  let state = stateOf(row)
  let lastMs = row.lastPingAt?.getTime() ?? 0
  for (const { kind, exitCode, run, body } of received) {
    // Two pings of one millisecond are two results.
    lastMs = Math.max(now.getTime(), lastMs + 1)
    const applied = applyPing(state, target.probe, { kind, run, atMs: lastMs })
    state = applied.state
    results.push(...applied.results)
    const position = (row.pings + pings.length) % MAX_STORED_PINGS
    const { durationMs } = applied
    const receivedAt = new Date(lastMs)
    const key = { organizationId, componentId, position }
    pings.push({ ...key, receivedAt, durationMs, kind, exitCode, run, body })
  }
  const counted = { lastPingAt: new Date(lastMs), pings: row.pings + pings.length }
  return { change: { target, row: counted, state, results }, pings }
}

/** Whether the results leave the status and the counts of consecutive results as they are. */
export const isSteady = (
  results: readonly HeartbeatResult[],
  state: TargetState | null,
  thresholds: Pick<TargetRow, 'failureThreshold' | 'recoveryThreshold'>,
): boolean => {
  const [first] = results
  if (first === undefined) return true
  if (state === null || results.some(({ error }) => error !== null)) return false
  const success = { status: 'SUCCESS', checkedAtMs: first.atMs } as const
  return deriveStatus(state, success, thresholds).state === state
}
