/** Promises of a next update that have passed are stated, each once, whichever replica is first. */
import { systemActor } from '@status-page/contracts'
import { change, crossDue, type Database, type DueWork, dueItems } from '@status-page/postgres'
import { tellOverdue } from './promise.ts'
import * as store from './store.ts'
import { stateIncident } from './view.ts'

const INTERVAL_MS = 5_000
const BATCH = 100

interface OverdueDoors {
  database: Database
  baseUrl: string
}

export const overdueUpdates = (doors: OverdueDoors): DueWork => ({
  name: 'overdue incident updates',
  intervalMs: INTERVAL_MS,
  run: dueItems({
    batchSize: BATCH,
    find: (limit) =>
      crossDue(doors.database, (crossing) => store.overdueIncidents(crossing, limit)),
    keyOf: ({ id }) => id,
    work: (one) => tell(doors, one),
  }),
})

/** Looked at again under the lock: another replica, or an update, may have come first. */
const tell = (
  { database, baseUrl }: OverdueDoors,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<boolean> =>
  change(database, { organizationId, actor: systemActor }, async (scope) => {
    const before = (await store.lockIncident(scope, id))?.incident
    const incident = before === undefined ? null : tellOverdue(before, scope.now)
    if (incident === null) return { result: false, events: [], audit: [] }
    await store.saveIncident(scope, incident)
    const told = { verb: 'overdue' as const, message: '', notifySubscribers: false, baseUrl }
    return { result: true, events: [await stateIncident(scope, incident, told)], audit: [] }
  })
