/** The clock of maintenances: starts, completes, reminds, and makes the next of a series. */
import { systemActor } from '@status-page/contracts'
import { type Database, dueItems, type Job, transact } from '@status-page/postgres'
import { tick } from './changes.ts'
import { leaseDue } from './store.ts'

/** The contract allows a minute. */
const POLL_MS = 5_000
const BATCH = 20

export interface ClockDeps {
  database: Database
  baseUrl: string
}

export const maintenanceWork = (deps: ClockDeps): Job[] => [
  { name: 'maintenance-clock', intervalMs: POLL_MS, run: runDue(deps) },
]

const runDue = ({ database, baseUrl }: ClockDeps) =>
  dueItems({
    batchSize: BATCH,
    find: (limit) => leaseDue(database, limit),
    keyOf: ({ id }) => id,
    work: ({ id, organizationId }) =>
      transact(database, { organizationId, actor: systemActor }, async (scope) => ({
        result: true,
        ...(await tick(scope, id, baseUrl)),
      })),
  })
