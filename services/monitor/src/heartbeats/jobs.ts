/**
 * Notices missed pings and runs that take too long. The holder of a shard reads its due heartbeats,
 * and stores those of many organizations in one transaction: after a stop of the monitor, all of
 * them are due. The lock of the row decides when the shard has just changed its holder.
 */
import {
  createDueBatchesRun,
  type Database,
  hasDueRow,
  type Job,
  transactAsWorker,
} from '@status-page/postgres'
import type { Shards } from '@status-page/schedule'
import { organizationOutcomes } from '../checks/record/record.ts'
import type { Stored } from '../checks/record/results.ts'
import type { TargetKey } from '../target-key.ts'
import { listByKeys } from '../targets/store.ts'
import { isHeartbeat, saveChanges, stateOf } from './record.ts'
import { findDue, lockDue } from './store.ts'
import { applyMissed } from './transitions.ts'

const INTERVAL_MS = 1_000
/** Heartbeats per run; the next run begins with organizations that became due in the meantime. */
const MAX_DUE = 2_000
/** Heartbeats per transaction. */
const BATCH = 250
/** Transactions at once. */
const BATCHES_AT_ONCE = 4

export interface HeartbeatJobOptions {
  database: Database
  shards: Pick<Shards, 'held'>
  onStored: Stored
}

export const heartbeatJob = ({ database, shards, onStored }: HeartbeatJobOptions): Job => ({
  name: 'heartbeats',
  intervalMs: INTERVAL_MS,
  due: hasDueRow('heartbeats', 'due_at'),
  run: createDueBatchesRun<TargetKey>({
    maxItems: MAX_DUE,
    batchSize: BATCH,
    atOnce: BATCHES_AT_ONCE,
    find: (limit) => findDue(database, { shards: shards.held(), limit }),
    keyOf: ({ componentId }) => componentId,
    work: async (due) => {
      const { applied, missed } = await noticeMissed(database, due)
      for (const target of missed) onStored(target, Date.now())
      return applied
    },
  }),
})

interface NoticedHeartbeats {
  /** Number of heartbeats that were due. */
  applied: number
  /** Heartbeats with a result. */
  missed: TargetKey[]
}

const noticeMissed = (database: Database, due: readonly TargetKey[]): Promise<NoticedHeartbeats> =>
  transactAsWorker(database, async (scope) => {
    const rows = await lockDue(scope, due)
    const targets = new Map(
      (await listByKeys(scope, rows)).map((target) => [target.componentId, target]),
    )
    const changes = rows.flatMap((row) => {
      const target = targets.get(row.componentId)
      if (target === undefined || !isHeartbeat(target)) return []
      return [{ target, row, ...applyMissed(stateOf(row), target.probe, scope.now.getTime()) }]
    })
    const events = await saveChanges(scope, changes)
    const missed = changes.flatMap(({ target, results }) => (results.length > 0 ? [target] : []))
    return {
      result: { applied: changes.length, missed },
      organizations: organizationOutcomes(events, rows),
    }
  })
