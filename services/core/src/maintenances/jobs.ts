/** Job that performs due transitions: start, complete, remind, and create the next occurrence. */
import { systemActor } from '@status-page/contracts'
import {
  createDueItemsRun,
  type Database,
  hasDueRow,
  type Job,
  transact,
} from '@status-page/postgres'
import { runDueTransition } from './changes.ts'
import { leaseDueMaintenances } from './store.ts'

/** Polling interval; the contract allows a delay of one minute. */
const POLL_MS = 5_000
const BATCH = 20

export interface MaintenanceJobDeps {
  database: Database
  baseUrl: string
}

export const maintenanceJobs = (deps: MaintenanceJobDeps): Job[] => [
  {
    name: 'maintenance-clock',
    intervalMs: POLL_MS,
    due: hasDueRow('maintenances', 'due_at'),
    run: runDue(deps),
  },
]

const runDue = ({ database, baseUrl }: MaintenanceJobDeps) =>
  createDueItemsRun({
    batchSize: BATCH,
    find: (limit) => leaseDueMaintenances(database, limit),
    keyOf: ({ id }) => id,
    work: ({ id, organizationId }) =>
      transact(database, { organizationId, actor: systemActor }, async (scope) => ({
        result: true,
        ...(await runDueTransition(scope, id, baseUrl)),
      })),
  })
