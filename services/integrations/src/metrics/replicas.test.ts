/** Several replicas share the metrics, none is asked for twice, and a platform that is full is left alone. */
import { eventually, testDatabase } from '@status-page/testing'
import t from 'tap'
import {
  fakePrometheus,
  manualClock,
  metricComponent,
  pass,
  stage,
  startPoller,
} from '../integrations.fixture.ts'
import type { SkipReason } from './due.ts'

const MINUTE = 60_000
const METRICS = 12
/** Short, so that a take-over is soon. */
const leases = { ttlMs: 1500, renewMs: 100, marginMs: 200 }

// Held for the whole file: the last to release a server that was started here stops it.
await testDatabase(t, { services: [] })

t.test('replicas share the metrics, and who leaves is followed', async (t) => {
  const staged = await stage(t)
  const platform = await fakePrometheus(t)
  const config = { url: platform.url }
  const made = await staged.create({ name: 'P', type: 'prometheus', config })
  for (let index = 0; index < METRICS; index += 1) {
    await staged.tell('created', metricComponent(made.body.id), 1)
  }
  const clock = manualClock()
  const one = await startPoller(t, staged, clock, { leases })
  const other = await startPoller(t, staged, clock, { leases })
  const held = () => [one, other].map((poller) => poller.figures().metrics)
  await eventually(() => {
    const [left = 0, right = 0] = held()
    return left > 0 && right > 0 && left + right === METRICS
  })
  await pass(clock, one, MINUTE)
  await pass(clock, other, 0)
  const values = () => staged.sql<{ metric_id: string; count: number }[]>`
    SELECT metric_id, count(*)::int AS count FROM integrations.metric_values GROUP BY 1`
  await eventually(async () => (await values()).length === METRICS)
  t.equal(platform.requests.length, METRICS, 'each of them once')

  await one.stop()
  await eventually(() => other.figures().metrics === METRICS)
  await pass(clock, other, MINUTE)
  await eventually(async () => (await values()).every(({ count }) => count === 2))
  t.equal(platform.requests.length, 2 * METRICS)
})

t.test('a platform that asks for patience is not asked before', async (t) => {
  const staged = await stage(t)
  const platform = await fakePrometheus(t)
  const made = await staged.create({ name: 'P', type: 'prometheus', config: { url: platform.url } })
  await staged.tell('created', metricComponent(made.body.id), 1)
  const clock = manualClock()
  const skipped: SkipReason[] = []
  const onSkipped = (reason: SkipReason) => skipped.push(reason)
  const poller = await startPoller(t, staged, clock, { onSkipped })
  await eventually(() => poller.figures().metrics === 1)
  platform.respond({ status: 429, headers: { 'retry-after': '100' } })
  await pass(clock, poller, MINUTE)
  t.equal(platform.requests.length, 1)
  await pass(clock, poller, MINUTE)
  t.equal(platform.requests.length, 1)
  t.ok(skipped.includes('rate_limited'))
  platform.respond({ status: 500 })
  await pass(clock, poller, MINUTE)
  await pass(clock, poller, MINUTE)
  t.ok(platform.requests.length >= 2, 'and is asked again')
  t.same(await staged.facts(), [], 'and nothing is told of it')
})
