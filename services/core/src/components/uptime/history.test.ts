/** Status history of a component, and its uptime report. */
import { componentOperations as on } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'

const kit = await coreKit(t)
const HOUR_MS = 3_600_000

/** Creates a component that was up for two hours, down for one and up for another. */
const withOutage = async () => {
  const { request } = kit.as()
  const { body } = await request(on.create, { body: { type: 'SERVICE', name: 'API' } })
  const params = { id: body.id }
  kit.clock.advance(2 * HOUR_MS)
  await request(on.update, { params, body: { status: 'major_outage' } })
  kit.clock.advance(HOUR_MS)
  await request(on.update, { params, body: { status: 'operational' } })
  kit.clock.advance(HOUR_MS)
  return { request, params, createdAt: Date.parse(body.createdAt) }
}

t.test('history is gapless, newest first, and each period has its source', async (t) => {
  const { request, params } = await withOutage()
  const { status, body } = await request(on.statusHistory, { params })
  t.equal(status, 200)
  t.same(body.meta, { total: 3, page: 1, pageSize: 20 })
  t.match(body.data, [
    { status: 'operational', source: 'manual', endedAt: null },
    { status: 'major_outage', source: 'manual' },
    { status: 'operational', source: 'manual' },
  ])
  t.equal(body.data[0].startedAt, body.data[1].endedAt)
  t.equal(body.data[1].startedAt, body.data[2].endedAt)
  t.ok(body.data[1].seconds >= 3600 && body.data[1].seconds < 3660)
  const asc = await request(on.statusHistory, { params, query: { sortOrder: 'asc', pageSize: 1 } })
  t.equal(asc.body.data[0].startedAt, body.data[2].startedAt)
})

t.test('history is filtered by status, source and overlap with a period', async (t) => {
  const { request, params, createdAt } = await withOutage()
  const count = async (query: object) =>
    (await request(on.statusHistory, { params, query: query as never })).body.meta.total
  const at = (hours: number) => new Date(createdAt + hours * HOUR_MS).toISOString()
  t.equal(await count({ status: 'major_outage' }), 1)
  t.equal(await count({ source: 'monitor' }), 0)
  t.equal(await count({ to: at(1) }), 1)
  t.equal(await count({ from: at(1), to: at(2.5) }), 2)
  t.equal(await count({ from: at(3.5) }), 1)
  const wrong = await request(on.statusHistory, { params, query: { from: at(2), to: at(1) } })
  t.equal(wrong.status, 400)
  t.equal((await request(on.statusHistory, { params: { id: newId() } })).status, 404)
})

t.test('the uptime report has its window, seconds, exclusions and days that add up', async (t) => {
  const { request, params, createdAt } = await withOutage()
  const { status, body } = await request(on.uptime, { params, query: { timezone: 'Asia/Tokyo' } })
  t.equal(status, 200)
  t.equal(body.windowStart, new Date(createdAt).toISOString())
  t.equal(body.windowEnd, body.to)
  t.match(body.exclusions, [{ reason: 'before_creation' }])
  t.same(body.weights, {
    operational: 0,
    degraded_performance: 0,
    partial_outage: 0.3,
    major_outage: 1,
    under_maintenance: 0,
  })
  t.equal(body.downtimeSeconds, body.seconds.major_outage)
  const window = (Date.parse(body.windowEnd) - createdAt) / 1000
  const seconds = Object.values<number>(body.seconds).reduce((sum, one) => sum + one, 0)
  t.equal(Math.round(seconds * 1000), Math.round(window * 1000))
  const percentage = Math.floor((1 - body.downtimeSeconds / window) * 10_000) / 100
  t.equal(body.percentage, percentage)
  const days: { date: string; status: string; downtimeSeconds: number }[] = body.days
  t.ok(days.length >= 91 && days.length <= 92)
  t.equal(days[0]?.status, 'no_data')
  const bars = days.reduce((sum, day) => sum + day.downtimeSeconds, 0)
  t.equal(Math.round(bars * 1000), Math.round(body.downtimeSeconds * 1000))
})

t.test('uptime of another period is clipped to the known history, at most 366 days', async (t) => {
  const { request, params, createdAt } = await withOutage()
  const at = (hours: number) => new Date(createdAt + hours * HOUR_MS).toISOString()
  const uptime = (query: object) => request(on.uptime, { params, query: query as never })
  const { body: before } = await uptime({ from: at(-48), to: at(-24) })
  t.match(before, { percentage: null, downtimeSeconds: 0 })
  t.match(before.exclusions, [{ reason: 'before_creation', seconds: 24 * 3600 }])
  const { body: outage } = await uptime({ from: at(2.25), to: at(2.75) })
  t.match(outage, { percentage: 0, downtimeSeconds: 1800, exclusions: [] })
  const { body: ahead } = await uptime({ from: at(0), to: at(24) })
  t.match(ahead.exclusions, [{ reason: 'future' }])
  t.equal((await uptime({ from: at(1), to: at(0) })).status, 400)
  t.equal((await uptime({ from: at(-367 * 24), to: at(0) })).status, 400)
  t.equal((await uptime({ timezone: 'Mars/Olympus' })).status, 400)
  const ends = [
    { to: '1970-01-01T00:00:00Z' },
    { from: '9999-01-01T00:00:00Z', to: '9999-12-31T23:59:59.999Z' },
  ]
  for (const query of ends) t.match((await uptime(query)).body, { percentage: null })
})
