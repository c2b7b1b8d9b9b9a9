/** State of a metric in memory: reloads and recorded values. */
import { newId } from '@status-page/postgres'
import t from 'tap'
import type { LoadedMetric } from './batches.ts'
import { MetricResults, polledValue } from './results.ts'
import { ScheduledMetric } from './scheduled-metrics.ts'

const MINUTE = 60_000

const loaded = (change: Partial<LoadedMetric> = {}): LoadedMetric => {
  const organizationId = newId()
  return {
    organizationId,
    id: newId(),
    kind: 'component',
    version: '1:1',
    shard: 0,
    query: 'queue',
    aggregation: 'last',
    intervalMs: MINUTE,
    warningThreshold: 100,
    criticalThreshold: 500,
    derivedStatus: 'operational',
    polledSlotMs: null,
    integration: {
      organizationId,
      id: newId(),
      type: 'prometheus',
      config: { url: 'https://prometheus.example.com' },
    },
    ...change,
  }
}

t.test('a reload that read the status before an outage was recorded keeps the outage', (t) => {
  const before = loaded()
  const metric = new ScheduledMetric(before)
  const results = new MetricResults({
    database: null as never,
    items: { get: () => metric },
    onStored: () => {},
  })
  const recovers = () => {
    const finding = { value: 1, fault: null, durationMs: 1, polledAtMs: 2 * MINUTE }
    return results.changesStatus(polledValue(metric.metric, finding, 2 * MINUTE))
  }
  metric.recordStatus('major_outage', MINUTE)
  for (const polledSlotMs of [null, 0]) {
    metric.update({ ...before, version: '2:1', polledSlotMs })
    t.equal(metric.version, '2:1', 'the definition is replaced')
    t.equal(metric.derivedStatus, 'major_outage')
    t.ok(recovers(), 'the next healthy value is published')
  }
  metric.update({ ...before, polledSlotMs: MINUTE, derivedStatus: 'degraded_performance' })
  t.equal(metric.derivedStatus, 'degraded_performance', 'a load of the same slot is as new')
  metric.update({ ...before, polledSlotMs: 2 * MINUTE })
  t.equal(metric.derivedStatus, 'operational', 'a load after a newer value replaces it')
  t.notOk(recovers())
  t.end()
})
