/** Job that decides held outages, and those whose cause has ended. */
import { systemActor } from '@status-page/contracts'
import {
  asWorker,
  createDueItemsRun,
  type Database,
  type Job,
  transact,
} from '@status-page/postgres'
import { decideDependentOutages } from './dependent-outage-changes.ts'
import { listOrganizationsToDecide } from './dependent-outage-store.ts'
import { explainingStatuses } from './dependent-outages.ts'

const INTERVAL_MS = 1_000
const BATCH = 100
/** Maximum number of incidents that one run opens for an organization; the next run continues. */
const MAX_DECISIONS = 100

interface DecisionDeps {
  database: Database
  baseUrl: string
}

export const dependentOutageJob = ({ database, baseUrl }: DecisionDeps): Job => ({
  name: 'dependent-outages',
  intervalMs: INTERVAL_MS,
  due: 'EXISTS (SELECT FROM dependent_outages)',
  run: createDueItemsRun({
    batchSize: BATCH,
    find: (limit) =>
      asWorker(database, (scope) => listOrganizationsToDecide(scope, explainingStatuses, limit)),
    keyOf: ({ organizationId }) => organizationId,
    work: async ({ organizationId }) => {
      const by = { organizationId, actor: systemActor }
      let decisions = 0
      while (
        decisions < MAX_DECISIONS &&
        (await transact(database, by, (scope) => decideDependentOutages(scope, baseUrl)))
      ) {
        decisions++
      }
      return decisions > 0
    },
  }),
})
