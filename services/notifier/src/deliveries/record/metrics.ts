/** Metrics of deliveries: open by reason, finished within the last hour, time to delivery. */
import { asWorker, type Database, type Job, type SystemScope } from '@status-page/postgres'
import type { Metrics } from '@status-page/service'
import { sql } from 'drizzle-orm'
import { Counter, Gauge, Histogram } from 'prom-client'
import type { DestinationType } from '../../tables.ts'

const INTERVAL_MS = 15_000
const DURATION_BUCKETS_SECONDS = [0.5, 1, 2, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400]

export interface DeliveryMeter {
  /** Records the time from creation to successful delivery. */
  delivered(type: DestinationType, seconds: number): void
  deferred(reason: string): void
  /** Counts a failure of the mail server or provider account of a channel. */
  channelFailed(reason: string): void
}

export const deliveryMetrics = ({ registry }: Metrics, database: Database) => {
  const registers = [registry]
  const duration = new Histogram({
    name: 'notification_delivery_duration_seconds',
    help: 'Time from creation to successful delivery',
    labelNames: ['channel'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  })
  const deferrals = new Counter({
    name: 'notification_deferrals_total',
    help: 'Deliveries deferred before an attempt, by reason',
    labelNames: ['reason'],
    registers,
  })
  const channelFailures = new Counter({
    name: 'notification_channel_failures_total',
    help: 'Failures of the mail servers and provider accounts of channels, by reason',
    labelNames: ['reason'],
    registers,
  })
  const deliveries = new Gauge({
    name: 'notification_deliveries',
    help: 'Deliveries that are open or finished within the last hour, by state and reason',
    labelNames: ['state', 'reason'],
    registers,
  })
  const dueAge = new Gauge({
    name: 'notification_due_age_seconds',
    help: 'Time since the oldest delivery became due that is not being sent; 0 without one',
    registers,
  })
  const destinations = new Gauge({
    name: 'notification_destinations',
    help: 'Destinations of all organizations, by state',
    labelNames: ['state'],
    registers,
  })
  const meter: DeliveryMeter = {
    delivered: (channel, seconds) => duration.observe({ channel }, seconds),
    deferred: (reason) => deferrals.inc({ reason }),
    channelFailed: (reason) => channelFailures.inc({ reason }),
  }
  const metricsJob: Job = {
    name: 'delivery-metrics',
    intervalMs: INTERVAL_MS,
    async run() {
      const counts = await asWorker(database, countStates)
      deliveries.reset()
      for (const { state, reason, count } of counts.deliveries) {
        deliveries.set({ state, reason }, count)
      }
      dueAge.set(counts.dueAgeSeconds)
      destinations.reset()
      for (const { state, count } of counts.destinations) destinations.set({ state }, count)
      return 0
    },
  }
  return { meter, metricsJob }
}

const countStates = async ({ tx }: SystemScope) => ({
  deliveries: await tx.execute<{ state: string; reason: string; count: number }>(sql`
    SELECT state, coalesce(reason, '') AS reason, count(*)::int AS count FROM (
      SELECT state, reason FROM deliveries WHERE state = 'pending'
      UNION ALL SELECT state, reason FROM deliveries WHERE state = 'sending'
      UNION ALL SELECT state, reason FROM deliveries WHERE finished_at > now() - interval '1 hour') counted
    GROUP BY 1, 2`),
  dueAgeSeconds: await readDueAgeSeconds(tx),
  destinations: await tx.execute<{ state: string; count: number }>(sql`
    SELECT state, count(*)::int AS count FROM destinations GROUP BY state`),
})

const readDueAgeSeconds = async (tx: SystemScope['tx']): Promise<number> => {
  const [row] = await tx.execute<{ seconds: number }>(sql`
    SELECT coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0)::float8 AS seconds
    FROM deliveries WHERE state = 'pending' AND next_attempt_at <= now()`)
  return row?.seconds ?? 0
}
