/** Job that publishes one event for each overdue next update, whichever replica runs first. */
import { systemActor } from '@status-page/contracts'
import {
  asWorker,
  createDueItemsRun,
  type Database,
  hasDueRow,
  type Job,
  transact,
} from '@status-page/postgres'
import { markOverdue } from './next-update.ts'
import * as store from './store.ts'
import { incidentEvent } from './view.ts'

const INTERVAL_MS = 5_000
const BATCH = 100

interface OverdueDeps {
  database: Database
  baseUrl: string
}

export const overdueUpdateJob = (deps: OverdueDeps): Job => ({
  name: 'overdue incident updates',
  intervalMs: INTERVAL_MS,
  due: hasDueRow('incidents', 'next_update_at', 'NOT overdue_notified'),
  run: createDueItemsRun({
    batchSize: BATCH,
    find: (limit) =>
      asWorker(deps.database, (systemScope) => store.listOverdueIncidents(systemScope, limit)),
    keyOf: ({ id }) => id,
    work: (incident) => publishOverdue(deps, incident),
  }),
})

/** Repeats the condition under the lock: another replica or an update may have come first. */
const publishOverdue = (
  { database, baseUrl }: OverdueDeps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<boolean> =>
  transact(database, { organizationId, actor: systemActor }, async (scope) => {
    const before = (await store.lockIncident(scope, id))?.incident
    const incident = before === undefined ? null : markOverdue(before, scope.now)
    if (incident === null) return { result: false }
    await store.saveIncident(scope, incident)
    const options = { verb: 'overdue' as const, message: '', notifySubscribers: false, baseUrl }
    return { result: true, events: [await incidentEvent(scope, incident, options)], audit: [] }
  })
