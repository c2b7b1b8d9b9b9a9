/** Values that are out of range, or that Postgres rejects. */
import { integrationOperations, metricQueryOperations } from '@status-page/contracts'
import { eventually, inject, testCaller, testDatabase } from '@status-page/testing'
import t from 'tap'
import {
  fakePrometheus,
  manualClock,
  metricComponent,
  pass,
  stage,
  startPoller,
} from '../integrations.fixture.ts'
import type { MetricsClient } from '../platforms/metrics-client.ts'
import { createSummariesByKind } from './summary.ts'

const MINUTE = 60_000
const OVERFLOWING = 1.7e308

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

t.test('a value that Postgres rejects is dropped alone and blocks no other metric', async (t) => {
  const staged = await stage(t)
  const config = { url: 'https://93.184.215.14/prometheus' }
  const { body: integration } = await staged.create({ name: 'P', type: 'prometheus', config })
  const clock = manualClock()
  const skipped: string[] = []
  // Client without the range check of the real one.
  const metricsClient: MetricsClient = {
    ...staged.metricsClient,
    query: async (_integration: unknown, { query }: { query: string }) => ({
      value: query === 'bad' ? OVERFLOWING : 5,
      fault: null,
      retryAfterMs: null,
      durationMs: 1,
    }),
  }
  const poller = await startPoller(t, { ...staged, metricsClient }, clock, {
    onSkipped: (reason) => skipped.push(reason),
  })
  const of = (query: string) =>
    metricComponent(integration.id, {
      query,
      warningThreshold: null,
      criticalThreshold: null,
    })
  const metrics = [of('bad'), of('good'), of('fine')]
  for (const metric of metrics) await staged.publishComponent('created', metric, 1)
  await eventually(() => poller.gauges().metrics === metrics.length)
  for (let round = 0; round < 4; round++) await pass(clock, poller, MINUTE)
  const counts = await staged.sql<{ metric_id: string; count: number }[]>`
    SELECT metric_id, count(*)::int AS count FROM integrations.metric_values GROUP BY 1`
  const byId = new Map(counts.map(({ metric_id, count }) => [metric_id, count]))
  t.same([byId.get(metrics[1]?.id ?? ''), byId.get(metrics[2]?.id ?? '')], [4, 4])
  t.ok((byId.get(metrics[0]?.id ?? '') ?? 0) < 4)
  t.ok(skipped.includes('dropped'), 'and counted')
  t.equal(poller.gauges().buffered, 0)
})

t.test('values on a day without a partition create it', async (t) => {
  const staged = await stage(t)
  const platform = await fakePrometheus(t)
  const config = { url: platform.url }
  const { body: integration } = await staged.create({ name: 'P', type: 'prometheus', config })
  const clock = manualClock()
  const skipped: string[] = []
  const poller = await startPoller(t, staged, clock, {
    onSkipped: (reason) => skipped.push(reason),
  })
  const partitions = await staged.sql<{ name: string }[]>`
    SELECT inhrelid::regclass::text AS name FROM pg_inherits
    WHERE inhparent = 'integrations.metric_values'::regclass`
  for (const { name } of partitions) await staged.sql.unsafe(`DROP TABLE ${name}`)
  await staged.publishComponent('created', metricComponent(integration.id), 1)
  await eventually(() => poller.gauges().metrics === 1)
  await pass(clock, poller, MINUTE)
  const [stored] = await staged.sql`SELECT count(*)::int AS count FROM integrations.metric_values`
  t.ok(stored?.count > 0)
  t.notOk(skipped.includes('dropped'))
})

t.test('a value out of range is an error of its metric, one near 0 is 0', async (t) => {
  const staged = await stage(t)
  const { query, app } = staged
  const platform = await fakePrometheus(t)
  const config = { url: platform.url }
  const { body: integration } = await staged.create({ name: 'P', type: 'prometheus', config })
  const { id } = integration
  const body = { name: 'Latency', query: 'latency', showOnStatusPage: true }
  const { body: made } = await query('create', { id }, { body })
  const clock = manualClock()
  const { query: summaries } = createSummariesByKind(staged.database)
  const poller = await startPoller(t, staged, clock, { onStored: (row) => summaries.add(row) })
  await eventually(() => poller.gauges().metrics === 1)
  const read = async () => (await query('read', { id, queryId: made.id })).body
  const expected: [said: string, state: object][] = [
    ['1.7e308', { lastStatus: 'error', lastError: 'out_of_range', lastValue: null }],
    ['-1.1e30', { lastStatus: 'error', lastError: 'out_of_range' }],
    ['1e30', { lastStatus: 'ok', lastError: null, lastValue: 1e30 }],
    ['5e-324', { lastStatus: 'ok', lastValue: 0 }],
    ['0', { lastStatus: 'ok', lastValue: 0 }],
  ]
  for (const [said, state] of expected) {
    platform.say(said)
    await pass(clock, poller, MINUTE)
    t.match(await read(), state, said)
  }
  await summaries.job.run(new AbortController().signal)

  // Stores means that Postgres cannot compute, for this organization only.
  await staged.sql`DELETE FROM integrations.metric_rollups`
  await staged.sql`
    INSERT INTO integrations.metric_rollups
      (organization_id, metric_id, seconds, at, polls, "values", sum)
    SELECT ${staged.organizationId}, ${made.id}, 300,
      date_bin('5 minutes', now(), 'epoch'::timestamptz), 4, 4, 5e-324::float8`
  const caller = testCaller()
  const other = await inject(app, integrationOperations.create, {
    caller,
    body: { name: 'P', type: 'prometheus', config },
  })
  const params = { id: other.body.id }
  const shown = await inject(app, metricQueryOperations.create, { caller, params, body })
  summaries.add({ organizationId: staged.organizationId, metricId: made.id })
  summaries.add({ organizationId: caller.organizationId, metricId: shown.body.id })
  await t.rejects(summaries.job.run(new AbortController().signal))
  const published = await staged.sql`SELECT 1 FROM integrations.outbox
    WHERE kind = 'metric.summarised' AND organization_id = ${caller.organizationId}`
  t.equal(published.length, 1, 'the summary of the next organization')
})

t.test('queries are summarised within a second, components once a minute', async (t) => {
  const { database } = await stage(t)
  const { query, component } = createSummariesByKind(database)
  t.equal(query.job.intervalMs, 1_000)
  t.equal(component.job.intervalMs, 60_000)
  t.not(query.job.name, component.job.name)
})
