/** Mails managers about suppressed destinations: promptly, and in one mail for many. */
import { systemActor } from '@status-page/contracts'
import {
  asWorker,
  createDueItemsRun,
  type Database,
  type Job,
  transact,
} from '@status-page/postgres'
import { deleteOldSuppressions, notifySuppressions, organizationsToNotify } from './store.ts'

const INTERVAL_MS = 15_000
const MAX_ORGANIZATIONS = 100

export const suppressionJob = (database: Database): Job => {
  const mailSuppressions = createDueItemsRun({
    batchSize: MAX_ORGANIZATIONS,
    find: (limit) => asWorker(database, (systemScope) => organizationsToNotify(systemScope, limit)),
    keyOf: (organizationId) => organizationId,
    work: (organizationId) =>
      transact(database, { organizationId, actor: systemActor }, async (scope) => {
        await notifySuppressions(scope)
        return { result: false, events: [], audit: [] }
      }),
  })
  return {
    name: 'destination-suppressions',
    intervalMs: INTERVAL_MS,
    run: async (signal) => {
      await asWorker(database, deleteOldSuppressions)
      return mailSuppressions(signal)
    },
  }
}
