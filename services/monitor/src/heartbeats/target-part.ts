/** Heartbeat of a target after a change of its definition. */
import { isDeepStrictEqual } from 'node:util'
import type { Scope } from '@status-page/postgres'
import type { TargetPart } from '../targets/handlers.ts'
import type { TargetDefinition } from '../targets/rules.ts'
import type { TargetRow } from '../targets/store.ts'
import { columnsOf, stateOf } from './record.ts'
import { insertHeartbeat, lockHeartbeats, removeHeartbeat, saveHeartbeat } from './store.ts'
import { expectedFrom } from './transitions.ts'

/**
 * Creates or deletes the heartbeat when the kind of the check changes. A new schedule, and the end
 * of a pause, begin with the next expected time after now.
 */
const apply = async (
  scope: Scope,
  definition: TargetDefinition,
  before: TargetRow | undefined,
): Promise<void> => {
  const { componentId, probe, isEnabled, shard } = definition
  if (probe.kind !== 'heartbeat') {
    if (before?.probe.kind === 'heartbeat') await removeHeartbeat(scope, componentId)
    return
  }
  await insertHeartbeat(scope, { componentId, shard })
  const [row] = await lockHeartbeats(scope, [componentId])
  if (row === undefined) return
  const state = stateOf(row)
  const isResumed = isEnabled && before?.isEnabled === false
  const isRestarted = isResumed || !isDeepStrictEqual(before?.probe, probe)
  const next = isResumed ? { ...state, runs: [] } : state
  const expectedMs =
    isRestarted && state.expectedMs !== null
      ? expectedFrom(probe, scope.now.getTime())
      : state.expectedMs
  await saveHeartbeat(scope, componentId, columnsOf({ ...next, expectedMs }, { probe, isEnabled }))
}

export const heartbeatPart: TargetPart = { apply, remove: removeHeartbeat }
