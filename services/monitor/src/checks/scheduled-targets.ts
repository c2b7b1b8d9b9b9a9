/** Targets of one location as items of the scheduler. */
import type { Database } from '@status-page/postgres'
import { type ItemSource, slotAt } from '@status-page/schedule'
import { loadTargets, loadVersions } from '../targets/load.ts'
import { CheckTarget, type LoadedTarget } from '../targets/target.ts'
import { findLastSlots } from './record/batches.ts'

export const scheduledTargets = (
  database: Database,
  location: string,
): ItemSource<LoadedTarget, CheckTarget> => ({
  name: 'targets',
  load: (wanted) => loadTargets(database, location, wanted),
  loadVersions: (shards) => loadVersions(database, location, shards),
  findLastSlots: (loaded, nowMs) => {
    const slots = loaded.map(({ organizationId, id, intervalMs }) => ({
      organizationId,
      componentId: id,
      slotMs: slotAt(id, intervalMs, nowMs),
    }))
    return findLastSlots(database, slots, location)
  },
  maxRunMs: ({ definition }) => definition.timeoutMs,
  create: (loaded) => new CheckTarget(loaded),
})
