/** Prometheus metrics of scheduled polls. */
import type { Metrics } from '@status-page/service'
import { Counter, Histogram } from 'prom-client'
import type { PollerOptions } from './jobs.ts'

const LAG_BUCKETS_SECONDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export const pollMeters = ({ registry }: Metrics): Pick<PollerOptions, 'onSkipped' | 'onLag'> => {
  const lag = new Histogram({
    name: 'integrations_schedule_lag_seconds',
    help: 'From the time that a poll was due to its start',
    buckets: LAG_BUCKETS_SECONDS,
    registers: [registry],
  })
  const skipped = new Counter({
    name: 'integrations_slots_skipped_total',
    help: 'Slots without a poll: no data, never down',
    labelNames: ['reason'],
    registers: [registry],
  })
  return {
    onLag: (seconds) => lag.observe(seconds),
    onSkipped: (reason, count) => skipped.inc({ reason }, count),
  }
}
