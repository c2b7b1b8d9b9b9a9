/**
 * Several replicas share the metrics, no slot is polled twice, and a busy platform gets no further
 * queries.
 */
import { eventually, LONG_LEASES, testDatabase } from '@status-page/testing'
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
import type { Poller, PollSkipReason } from './jobs.ts'

const MINUTE = 60_000
const METRICS = 12
const SOON = { timeoutMs: 30_000 }
/** At most as many metrics as one platform is queried for at once while responses hang. */
const HANDED_ON = 8
const URL = 'https://93.184.215.14/prometheus'
/** Frequent renewals, so that replicas share their shards soon. */
const leases = { ...LONG_LEASES, renewMs: 100 }

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

/** Waits until each of two replicas holds half of the shards and all metrics are loaded. */
const shared = (pollers: readonly Poller[], metrics: number) =>
  eventually(() => {
    const gauges = pollers.map((poller) => poller.gauges())
    const loaded = gauges.reduce((sum, one) => sum + one.metrics, 0)
    return loaded === metrics && gauges.every(({ shards }) => shards === 128)
  }, SOON)

t.test('replicas share the metrics, and the others take over those of a stopped one', async (t) => {
  const staged = await stage(t)
  const platform = await fakePrometheus(t)
  const config = { url: platform.url }
  const made = await staged.create({ name: 'P', type: 'prometheus', config })
  for (let index = 0; index < METRICS; index += 1) {
    await staged.publishComponent('created', metricComponent(made.body.id), 1)
  }
  const clock = manualClock()
  const one = await startPoller(t, staged, clock, { leases })
  const other = await startPoller(t, staged, clock, { leases })
  await shared([one, other], METRICS)
  await pass(clock, one, MINUTE)
  await pass(clock, other, 0)
  const values = () => staged.sql<{ metric_id: string; count: number }[]>`
    SELECT metric_id, count(*)::int AS count FROM integrations.metric_values GROUP BY 1`
  await eventually(async () => (await values()).length === METRICS)
  t.equal(platform.requests.length, METRICS, 'each metric once')

  await one.stop()
  await eventually(() => other.gauges().metrics === METRICS, SOON)
  await pass(clock, other, MINUTE)
  await eventually(async () => (await values()).every(({ count }) => count === 2))
  t.equal(platform.requests.length, 2 * METRICS)
})

t.test('a query in flight during a handover of its shard is not repeated', async (t) => {
  const staged = await stage(t)
  const made = await staged.create({ name: 'P', type: 'prometheus', config: { url: URL } })
  // Interval of one day, so that no further slot falls into this test.
  const daily = { pollingInterval: 86_400 }
  for (let index = 0; index < HANDED_ON; index += 1) {
    const query = `q${index}`
    await staged.publishComponent('created', metricComponent(made.body.id, { ...daily, query }), 1)
  }
  const asked: string[] = []
  const gate = Promise.withResolvers<void>()
  const metricsClient: MetricsClient = {
    ...staged.metricsClient,
    query: async (_platform: unknown, { query }: { query: string }) => {
      asked.push(query)
      await gate.promise
      return { value: 1, fault: null, durationMs: 1, retryAfterMs: null }
    },
  }
  const clock = manualClock()
  // A long handover, so that polls in flight finish on a slow machine.
  const given = { leases: { ...leases, handOverMs: 60_000 } }
  const first = await startPoller(t, { ...staged, metricsClient }, clock, given)
  clock.advance(3000)
  await eventually(() => {
    // At most four polls per platform run at once; the others start once these count as hanging.
    clock.advance(0)
    return asked.length === HANDED_ON
  }, SOON)
  const second = startPoller(t, { ...staged, metricsClient }, clock, given)
  await eventually(() => first.gauges().shards < 256, SOON)
  // Ten renewals later, a replica that does not wait would have released its shards.
  const renewed = Date.now() + 10 * given.leases.renewMs
  await eventually(() => Date.now() > renewed)
  gate.resolve()
  const pollers = [first, await second]
  await shared(pollers, HANDED_ON)
  for (const poller of pollers) await pass(clock, poller, 2000)
  t.equal(asked.length, new Set(asked).size, 'each once')
})

t.test('a platform that sends Retry-After is not queried earlier', async (t) => {
  const staged = await stage(t)
  const platform = await fakePrometheus(t)
  const made = await staged.create({ name: 'P', type: 'prometheus', config: { url: platform.url } })
  await staged.publishComponent('created', metricComponent(made.body.id), 1)
  const clock = manualClock()
  const skipped: PollSkipReason[] = []
  const onSkipped = (reason: PollSkipReason) => skipped.push(reason)
  const poller = await startPoller(t, staged, clock, { onSkipped })
  await eventually(() => poller.gauges().metrics === 1)
  platform.respond({ status: 429, headers: { 'retry-after': '100' } })
  await pass(clock, poller, MINUTE)
  t.equal(platform.requests.length, 1)
  await pass(clock, poller, MINUTE)
  t.equal(platform.requests.length, 1)
  t.ok(skipped.includes('rate_limited'))
  platform.respond({ status: 500 })
  await pass(clock, poller, MINUTE)
  await pass(clock, poller, MINUTE)
  t.ok(platform.requests.length >= 2, 'and is queried again')
  t.same(await staged.publishedEvents(), [], 'and no event is published')
})

t.test('a Retry-After also holds back the queries that are queued', async (t) => {
  const staged = await stage(t)
  const made = await staged.create({ name: 'P', type: 'prometheus', config: { url: URL } })
  for (let index = 0; index < METRICS; index += 1) {
    await staged.publishComponent(
      'created',
      metricComponent(made.body.id, { pollingInterval: 86_400 }),
      1,
    )
  }
  let queries = 0
  const metricsClient: MetricsClient = {
    ...staged.metricsClient,
    query: async () => {
      queries += 1
      return { value: null, fault: 'rate_limited', durationMs: 1, retryAfterMs: 100_000 }
    },
  }
  const clock = manualClock()
  const skipped: PollSkipReason[] = []
  const onSkipped = (reason: PollSkipReason) => skipped.push(reason)
  const poller = await startPoller(t, { ...staged, metricsClient }, clock, { onSkipped })
  t.equal(poller.gauges().metrics, METRICS)
  await pass(clock, poller, 3000)
  t.equal(queries, 4, 'those in flight at the response')
  t.same(skipped, Array(METRICS - queries).fill('rate_limited'))
})
