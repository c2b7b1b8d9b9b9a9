import { asWorker, createDueItemsRun, type Database, type Job, write } from '@status-page/postgres'
import { deleteOldSuppressions, notifySuppressions, organizationsToNotify } from './store.ts'

const INTERVAL_MS = 15_000
const MAX_ORGANIZATIONS = 100

export const suppressionJob = (database: Database): Job => {
  const mailSuppressions = createDueItemsRun({
    batchSize: MAX_ORGANIZATIONS,
    find: (limit) => asWorker(database, (systemScope) => organizationsToNotify(systemScope, limit)),
    keyOf: (organizationId) => organizationId,
    work: (organizationId) =>
      write(database, { organizationId }, async (scope) => {
        await notifySuppressions(scope)
        return false
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
