/**
 * Reports the age of each service's last canary event and raises an alarm when canaries are
 * missing.
 */
import type { ServiceName } from '@status-page/contracts'
import { asWorker, type Database, type Job, type SystemScope } from '@status-page/postgres'
import type { Metrics } from '@status-page/service'
import { sql } from 'drizzle-orm'
import { Gauge } from 'prom-client'
import { canaries } from '../tables.ts'

const INTERVAL_MS = 15_000
/** Canaries are published every 60 s; three missing in a row indicate a fault. */
export const CANARY_ALARM_SECONDS = 180

export interface CanaryDeps {
  database: Database
  metrics: Pick<Metrics, 'registry'>
  logger: Record<'info' | 'error', (details: object, message: string) => void>
}

/** Logs one line when an alarm begins and one when it ends, per service. */
export const canaryWatch = ({ database, metrics, logger }: CanaryDeps): Job => {
  const age = new Gauge({
    name: 'canary_age_seconds',
    help: 'Seconds since the last received canary event was published, by service',
    labelNames: ['service'],
    registers: [metrics.registry],
  })
  const missed = new Set<ServiceName>()
  /**
   * Time of the first check: earlier canaries may have been published while no notifier was
   * running.
   */
  let startedAt: Date | null = null
  return {
    name: 'canary-watch',
    intervalMs: INTERVAL_MS,
    async run() {
      const { now, ages } = await asWorker(database, agesOf)
      startedAt ??= now
      const watchedSeconds = (now.getTime() - startedAt.getTime()) / 1000
      for (const { service, seconds } of ages) {
        age.set({ service }, seconds)
        const isMissed = Math.min(seconds, watchedSeconds) > CANARY_ALARM_SECONDS
        if (isMissed && !missed.has(service)) {
          const details = { alarm: 'canary', service, ageSeconds: seconds }
          logger.error(details, `events of ${service} do not arrive: check its relay and NATS`)
        }
        if (!isMissed && missed.has(service)) {
          logger.info({ alarm: 'canary', service }, 'alarm resolved')
        }
        if (isMissed) missed.add(service)
        else missed.delete(service)
      }
      return 0
    },
  }
}

const agesOf = async ({ now, tx }: SystemScope) => {
  const ages = await tx
    .select({
      service: canaries.service,
      seconds: sql<number>`greatest(0, extract(epoch FROM now() - ${canaries.sentAt}))::float8`,
    })
    .from(canaries)
  return { now, ages }
}
