/** Metrics of a scheduler, as Prometheus scrapes them. */
import t from 'tap'
import { createMetrics } from './metrics.ts'
import { scheduleMetrics } from './schedule-metrics.ts'

t.test('lag and skipped slots begin with the subsystem; slots are counted by reason', async (t) => {
  const metrics = createMetrics()
  const help = { lag: 'Time to the start', skipped: 'Slots without a result' }
  const { onLag, onSkipped } = scheduleMetrics(metrics, 'monitor', help)
  onLag(0.2)
  onSkipped('lease_lost', 3)
  onSkipped('lease_lost', 1)
  onSkipped('network', 2)
  const text = await metrics.registry.metrics()
  t.match(text, '# HELP monitor_schedule_lag_seconds Time to the start')
  t.match(text, 'monitor_schedule_lag_seconds_bucket{le="0.25"} 1')
  t.match(text, 'monitor_schedule_lag_seconds_bucket{le="0.1"} 0')
  t.match(text, 'monitor_slots_skipped_total{reason="lease_lost"} 4')
  t.match(text, 'monitor_slots_skipped_total{reason="network"} 2')
})
