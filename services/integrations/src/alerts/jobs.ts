/** Jobs that end alerts without repetitions and delete alerts that ended long ago. */
import { systemActor } from '@status-page/contracts'
import {
  asWorker,
  createDueItemsRun,
  type Database,
  type Job,
  type SystemScope,
  transact,
} from '@status-page/postgres'
import { findIntegration } from '../integrations/store.ts'
import { endGroup } from './process-alerts.ts'
import { isRepetitionOverdue, MAX_DAYS_WITHOUT_REPETITION } from './rules.ts'
import * as store from './store.ts'

const INTERVAL_MS = 3_600_000
const BATCH = 1_000
/** Retention of resolved alerts; longer than senders repeat a resolution. */
const RETENTION_DAYS = 90
const DAY_MS = 86_400_000

export const alertSignalJobs = (database: Database): Job[] => [
  {
    name: 'end-signals',
    intervalMs: INTERVAL_MS,
    run: createDueItemsRun({
      batchSize: BATCH,
      find: (limit) =>
        asWorker(database, (systemScope) =>
          store.overdueSignals(systemScope, {
            before: daysBefore(systemScope, MAX_DAYS_WITHOUT_REPETITION),
            limit,
          }),
        ),
      keyOf: (key) => JSON.stringify(key),
      work: (key) => endSilent(database, key),
    }),
  },
  {
    name: 'forget-signals',
    intervalMs: INTERVAL_MS,
    run: () =>
      asWorker(database, (systemScope) =>
        store.deleteOldSignals(systemScope, {
          before: daysBefore(systemScope, RETENTION_DAYS),
          limit: BATCH,
        }),
      ),
  },
]

const daysBefore = ({ now }: SystemScope, days: number) => new Date(now.getTime() - days * DAY_MS)

/** Resolves an alert without repetitions; if it fires later, it counts as a new alert. */
const endSilent = (database: Database, key: store.SignalKey): Promise<boolean> =>
  transact(database, { organizationId: key.organizationId, actor: systemActor }, async (scope) => {
    const nothing = { result: false }
    // Reads again under the lock, because a repetition may have arrived in between.
    const intake = await store.lockIntake(scope, key.integrationId)
    const integration = await findIntegration(scope, key.integrationId)
    const group = await store.findGroup(scope, key)
    const [signal] = await store.findSignals(scope, key, [key.fingerprint])
    if (intake === undefined || integration === undefined || group === undefined) return nothing
    if (signal === undefined || !isRepetitionOverdue(signal, scope.now)) return nothing
    await store.removeSignal(scope, key)
    const events = await endGroup(scope, group, { intake, integration, endsAt: null })
    return { result: true, events, audit: [] }
  })
