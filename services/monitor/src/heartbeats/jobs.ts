/**
 * Notices missed pings and runs that take too long. The holder of a shard reads its due heartbeats;
 * the lock of the row decides when the shard has just changed its holder.
 */
import { systemActor } from '@status-page/contracts'
import {
  chunksOf,
  createDueItemsRun,
  type Database,
  type Job,
  transact,
} from '@status-page/postgres'
import type { Shards } from '@status-page/schedule'
import type { Stored } from '../checks/record/results.ts'
import { listByIds } from '../targets/store.ts'
import { isHeartbeat, saveChanges, stateOf } from './record.ts'
import { type DueHeartbeats, findDue, lockHeartbeats } from './store.ts'
import { applyMissed } from './transitions.ts'

const INTERVAL_MS = 1_000
/** Heartbeats per run. */
const MAX_DUE = 1_000
/** Heartbeats per transaction. */
const BATCH = 100
/** Organizations recorded concurrently: after a stop of the monitor, all of them are due. */
const ORGANIZATIONS_AT_ONCE = 4

export interface HeartbeatJobOptions {
  database: Database
  shards: Pick<Shards, 'held'>
  onStored: Stored
}

export const heartbeatJob = ({ database, shards, onStored }: HeartbeatJobOptions): Job => {
  const notice = createDueItemsRun<DueHeartbeats>({
    batchSize: MAX_DUE,
    atOnce: ORGANIZATIONS_AT_ONCE,
    find: (limit) => findDue(database, { shards: shards.held(), limit }),
    keyOf: ({ organizationId }) => organizationId,
    work: async ({ organizationId, componentIds }) => {
      for (const ids of chunksOf(componentIds, BATCH)) {
        for (const id of await noticeMissed(database, organizationId, ids)) {
          onStored({ organizationId, componentId: id }, Date.now())
        }
      }
      return true
    },
  })
  return {
    name: 'heartbeats',
    intervalMs: INTERVAL_MS,
    run: async (signal) => ((await notice(signal)) > 0 ? 1 : 0),
  }
}

/** Returns the components with a result. */
const noticeMissed = (
  database: Database,
  organizationId: string,
  componentIds: readonly string[],
): Promise<string[]> =>
  transact(database, { organizationId, actor: systemActor }, async (scope) => {
    const rows = await lockHeartbeats(scope, componentIds)
    const targets = new Map(
      (await listByIds(scope, componentIds)).map((target) => [target.componentId, target]),
    )
    const changes = rows.flatMap((row) => {
      const target = targets.get(row.componentId)
      if (target === undefined || !isHeartbeat(target) || row.dueAt === null) return []
      return [{ target, row, ...applyMissed(stateOf(row), target.probe, scope.now.getTime()) }]
    })
    return {
      result: changes
        .filter(({ results }) => results.length > 0)
        .map(({ target }) => target.componentId),
      events: await saveChanges(scope, changes),
      audit: [],
    }
  })
