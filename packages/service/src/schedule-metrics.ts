/** Prometheus metrics of a scheduler of recurring work. */
import { Counter, Histogram } from 'prom-client'
import type { Metrics } from './metrics.ts'

const LAG_BUCKETS_SECONDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Registers `<subsystem>_schedule_lag_seconds` and `<subsystem>_slots_skipped_total`. */
export const scheduleMetrics = (
  { registry }: Metrics,
  subsystem: string,
  help: { lag: string; skipped: string },
) => {
  const registers = [registry]
  const lag = new Histogram({
    name: `${subsystem}_schedule_lag_seconds`,
    help: help.lag,
    buckets: LAG_BUCKETS_SECONDS,
    registers,
  })
  const skipped = new Counter({
    name: `${subsystem}_slots_skipped_total`,
    help: help.skipped,
    labelNames: ['reason'],
    registers,
  })
  return {
    onLag: (seconds: number) => lag.observe(seconds),
    onSkipped: (reason: string, count: number) => skipped.inc({ reason }, count),
  }
}
