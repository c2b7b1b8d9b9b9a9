/** Sends what is due: lease, look again, take the limits, send, record. A row says when it is finished. */
import { asWorker, type Job } from '@status-page/postgres'
import { type DeliveryWorker, type SendingDeps, sending, workNameOf } from './delivery-worker.ts'
import { ringDue } from './fan-out.ts'
import { expire, forgetEvents, forgetFinished, forgetReports, reap } from './leases.ts'
import { forgetRateHits } from './rate.ts'
import { createPace } from './rate-limit-memory.ts'

const LOOK_MS = 1_000
const UPKEEP_MS = 5_000
const RETENTION_MS = 600_000
const RETENTION_DAYS = 30

/** Twice a mailer's connections: more would only stand in its queue while their limits run. */
const AT_A_MAIL_SERVER = 10

/** Ways of their own, so that a mail server that hangs holds up no webhook. */
const ways: readonly DeliveryWorker[] = [
  {
    name: 'webhook',
    types: ['webhook'],
    batch: 1_024,
    maxWaitMs: 5_000,
    lanes: { places: 128, perHost: 32, hanging: 256, hangingPerHost: 64, hangsAfterMs: 150 },
  },
  {
    name: 'chat',
    types: ['slack', 'discord', 'teams'],
    batch: 64,
    maxWaitMs: 5_000,
    lanes: { places: 32, perHost: 8, hanging: 64, hangingPerHost: 16, hangsAfterMs: 1_000 },
  },
  // A mailer has its own queue and its own limit of time, a minute: none is set apart, and the wait here
  // and that minute are less than a lease.
  {
    name: 'email',
    types: ['email'],
    batch: 256,
    maxWaitMs: 20_000,
    lanes: {
      places: 100,
      perHost: AT_A_MAIL_SERVER,
      hanging: 0,
      hangingPerHost: 0,
      hangsAfterMs: 1_000,
    },
  },
  {
    name: 'sms',
    types: ['sms'],
    batch: 32,
    maxWaitMs: 20_000,
    lanes: { places: 32, perHost: 10, hanging: 0, hangingPerHost: 0, hangsAfterMs: 1_000 },
  },
]

/** Connections that the busiest host may have from this process. */
export const CONNECTIONS_PER_HOST = Math.max(
  ...ways.map(({ lanes }) => lanes.perHost + lanes.hangingPerHost),
)

const wayNames = ways.map(({ name }) => name)

/** Names of the work that new deliveries are for. */
export const deliveryWorkNames: readonly string[] = ways.map(workNameOf)

export const deliveryWork = (given: Omit<SendingDeps, 'pace'>): Job[] => {
  const deps = { ...given, pace: createPace() }
  return [
    ...ways.map((way) => sending(deps, way)),
    { name: 'delivery-look', intervalMs: LOOK_MS, run: () => lookForDue(deps) },
    { name: 'delivery-upkeep', intervalMs: UPKEEP_MS, run: () => keepUp(deps) },
    { name: 'delivery-retention', intervalMs: RETENTION_MS, run: () => forget(deps) },
  ]
}

/** One look for all ways and replicas, in place of a claim each: their bell rings where something is due. */
const lookForDue = async ({ database }: SendingDeps): Promise<number> => {
  await asWorker(database, (systemScope) => ringDue(systemScope, wayNames))
  return 0
}

/** What a dead sender left, what is too old to tell, what the rate window no longer needs. */
const keepUp = async ({ database, pace }: SendingDeps): Promise<number> => {
  const reaped = await asWorker(database, reap)
  const expired = await asWorker(database, expire)
  await asWorker(database, forgetRateHits)
  await asWorker(database, (systemScope) => pace.count(systemScope))
  return reaped + expired
}

const forget = async ({ database }: SendingDeps): Promise<number> => {
  const finished = await asWorker(database, (systemScope) =>
    forgetFinished(systemScope, RETENTION_DAYS),
  )
  const events = await asWorker(database, (systemScope) =>
    forgetEvents(systemScope, RETENTION_DAYS),
  )
  const reports = await asWorker(database, (systemScope) =>
    forgetReports(systemScope, RETENTION_DAYS),
  )
  return finished + events + reports
}
