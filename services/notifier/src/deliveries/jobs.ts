/**
 * Jobs that send due deliveries: lease, load, charge limits, send, record. The row holds the state,
 * so that a crash loses nothing.
 */
import { asWorker, type Job } from '@status-page/postgres'
import { channels } from '../channels/index.ts'
import {
  deleteFinishedDeliveries,
  deleteOldEvents,
  deleteOldProviderReports,
  expireDeliveries,
  releaseExpiredLeases,
} from './claim/leases.ts'
import { haveDueDelivery, wakeDueWorkers } from './fan-out/fan-out.ts'
import { deleteOldRateHits } from './limits/rate.ts'
import { createRateLimitMemory } from './limits/rate-limit-memory.ts'
import { type DeliveryWorkerDeps, deliveryJob, jobNameOf } from './send/delivery-worker.ts'

const DUE_CHECK_MS = 1_000
const UPKEEP_MS = 5_000
const RETENTION_MS = 600_000
const RETENTION_DAYS = 30

/** Condition of rows that the upkeep changes or counts; each part reads one entry of an index. */
const HAS_OPEN_ROWS = `coalesce(
  (SELECT true FROM deliveries WHERE state = 'pending' ORDER BY expires_at LIMIT 1),
  (SELECT true FROM deliveries WHERE state = 'sending' ORDER BY destination_id LIMIT 1),
  (SELECT true FROM rate_hits ORDER BY key LIMIT 1))`

/** Separate workers per transport, so that a slow mail server delays no webhook. */
const workers = [...new Set(Object.values(channels).map(({ worker }) => worker))]

/** Connections that the busiest host may have from this process. */
export const CONNECTIONS_PER_HOST = Math.max(
  ...workers.map(({ queues }) => queues.maxPerHost + queues.maxSlowPerHost),
)

const workerNames = workers.map(({ name }) => name)

/** Names of the jobs to wake for new deliveries. */
export const deliveryJobNames: readonly string[] = workers.map(jobNameOf)

export const deliveryJobs = (shared: Omit<DeliveryWorkerDeps, 'rateLimitMemory'>): Job[] => {
  const deps = { ...shared, rateLimitMemory: createRateLimitMemory() }
  return [
    ...workers.map((worker) => deliveryJob(deps, worker)),
    {
      name: 'delivery-look',
      intervalMs: DUE_CHECK_MS,
      due: haveDueDelivery(workerNames),
      run: () => wakeDue(deps),
    },
    {
      name: 'delivery-upkeep',
      intervalMs: UPKEEP_MS,
      due: HAS_OPEN_ROWS,
      run: () => runUpkeep(deps),
    },
    { name: 'delivery-retention', intervalMs: RETENTION_MS, run: () => deleteExpired(deps) },
  ]
}

/**
 * One query for all workers and replicas instead of a claim each; wakes the workers that have due
 * deliveries.
 */
const wakeDue = async ({ database }: DeliveryWorkerDeps): Promise<number> => {
  await asWorker(database, (systemScope) => wakeDueWorkers(systemScope, workerNames))
  return 0
}

/**
 * Reaps expired leases, expires old deliveries and deletes outdated rate hits, in one transaction,
 * whose statements are sent together: a round trip each was a third of those of a notifier without
 * work.
 */
const runUpkeep = ({ database, rateLimitMemory }: DeliveryWorkerDeps): Promise<number> =>
  asWorker(database, async (systemScope) => {
    const [reaped, expired] = await Promise.all([
      releaseExpiredLeases(systemScope),
      expireDeliveries(systemScope),
      deleteOldRateHits(systemScope),
      rateLimitMemory.count(systemScope),
    ])
    return reaped + expired
  })

const deleteExpired = async ({ database }: DeliveryWorkerDeps): Promise<number> => {
  const finished = await asWorker(database, (systemScope) =>
    deleteFinishedDeliveries(systemScope, RETENTION_DAYS),
  )
  const events = await asWorker(database, (systemScope) =>
    deleteOldEvents(systemScope, RETENTION_DAYS),
  )
  const reports = await asWorker(database, (systemScope) =>
    deleteOldProviderReports(systemScope, RETENTION_DAYS),
  )
  return finished + events + reports
}
