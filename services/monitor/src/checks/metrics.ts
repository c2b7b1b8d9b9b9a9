/** Prometheus metrics of scheduled checks. */
import type { Metrics } from '@status-page/service'
import { Counter, Histogram } from 'prom-client'
import type { CheckSchedulerOptions } from './jobs.ts'

const LAG_BUCKETS_SECONDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export const scheduleMetrics = ({
  registry,
}: Metrics): Pick<CheckSchedulerOptions, 'onSkipped' | 'onLag'> => {
  const lag = new Histogram({
    name: 'monitor_schedule_lag_seconds',
    help: 'Time from the due time of a check to its start',
    buckets: LAG_BUCKETS_SECONDS,
    registers: [registry],
  })
  const skipped = new Counter({
    name: 'monitor_slots_skipped_total',
    help: 'Slots without a check, by reason; they count as no data',
    labelNames: ['reason'],
    registers: [registry],
  })
  return {
    onLag: (seconds) => lag.observe(seconds),
    onSkipped: (reason, count) => skipped.inc({ reason }, count),
  }
}
