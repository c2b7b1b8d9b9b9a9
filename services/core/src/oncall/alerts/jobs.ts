/** Job that runs due escalation steps, each in its own transaction. */
import { systemActor } from '@status-page/contracts'
import {
  asWorker,
  createDueItemsRun,
  type Database,
  hasDueRow,
  type Job,
  transact,
} from '@status-page/postgres'
import { escalateAlert } from './changes.ts'
import { findDueAlerts } from './store.ts'

const INTERVAL_MS = 2_000
const BATCH = 100

export const escalationJob = ({ database }: { database: Database }): Job => ({
  name: 'oncall-escalation',
  intervalMs: INTERVAL_MS,
  due: hasDueRow('oncall_alerts', 'due_at'),
  run: createDueItemsRun({
    batchSize: BATCH,
    find: (limit) => asWorker(database, (systemScope) => findDueAlerts(systemScope, limit)),
    keyOf: ({ id }) => id,
    work: ({ organizationId, id }) =>
      transact(database, { organizationId, actor: systemActor }, async (scope) => ({
        result: true,
        ...(await escalateAlert(scope, id)),
      })),
  }),
})
