/** Incidents entered after the fact and corrected times, with their effect on history and uptime. */
import {
  componentOperations,
  incidentOperations as on,
  slaOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import { organizationOn } from './incidents.fixture.ts'

const kit = await coreKit(t)
const HOUR_MS = 3_600_000

const setUp = async () => {
  const organization = organizationOn(kit)
  const api = await organization.component('API')
  const born = Date.parse(
    (await organization.request(componentOperations.read, { params: { id: api } })).body.createdAt,
  )
  const at = (hours: number) => new Date(born + hours * HOUR_MS).toISOString()
  /** Periods of the history in hours since the creation; equal ones that adjoin are joined. */
  const history = async (id = api) => {
    const query = { sortOrder: 'asc' as const }
    const { body } = await organization.request(componentOperations.statusHistory, {
      params: { id },
      query,
    })
    const periods: [string, string, number][] = []
    for (const { status, source, startedAt } of body.data) {
      const last = periods.at(-1)
      if (last?.[0] === status && last?.[1] === source) continue
      periods.push([status, source, Math.round((Date.parse(startedAt) - born) / HOUR_MS)])
    }
    return periods
  }
  const uptime = async (from: number, to: number) => {
    const query = { from: at(from), to: at(to) }
    return (await organization.request(componentOperations.uptime, { params: { id: api }, query }))
      .body
  }
  const enter = (from: number, to: number, more: object = {}) =>
    organization.open({
      status: 'resolved',
      startedAt: at(from),
      resolvedAt: at(to),
      componentStatuses: { [api]: 'major_outage' },
      ...more,
    })
  const patch = (id: string, body: object) =>
    organization.request(on.update, { params: { id }, body })
  return { ...organization, api, at, history, uptime, enter, patch }
}

t.test('an incident that is over corrects history and uptime, not the present', async (t) => {
  const { api, history, uptime, enter, status, emitted, at } = await setUp()
  kit.clock.advance(10 * HOUR_MS)
  await emitted()
  const incident = await enter(2, 5)
  t.match(incident, {
    status: 'resolved',
    isBackfilled: true,
    startedAt: at(2),
    resolvedAt: at(5),
  })
  t.equal(await status(api), 'operational manual')
  t.same(await history(), [
    ['operational', 'manual', 0],
    ['major_outage', 'incident', 2],
    ['operational', 'manual', 5],
  ])
  t.match(await uptime(0, 10), { percentage: 70, downtimeSeconds: 3 * 3600 })
  const { events, audit } = await emitted()
  t.same(events, [])
  t.same(audit, ['incident.create'])
})

t.test('subscribers are notified of it only on request', async (t) => {
  const { enter, emitted } = await setUp()
  kit.clock.advance(10 * HOUR_MS)
  await emitted()
  await enter(2, 5, { notifySubscribers: true })
  t.match((await emitted()).events, [
    { kind: 'incident.created', data: { incident: { notifySubscribers: true } } },
  ])
})

t.test('where history is worse already, it stays; removal restores the recorded one', async (t) => {
  const { api, history, enter, request } = await setUp()
  const params = { id: api }
  kit.clock.advance(2 * HOUR_MS)
  await request(componentOperations.update, { params, body: { status: 'major_outage' } })
  kit.clock.advance(2 * HOUR_MS)
  await request(componentOperations.update, { params, body: { status: 'operational' } })
  kit.clock.advance(6 * HOUR_MS)
  const recorded = await history()
  const partial = { componentStatuses: { [api]: 'partial_outage' } }
  const first = await enter(1, 6, partial)
  t.same(await history(), [
    ['operational', 'manual', 0],
    ['partial_outage', 'incident', 1],
    ['major_outage', 'manual', 2],
    ['partial_outage', 'incident', 4],
    ['operational', 'manual', 6],
  ])
  const second = await enter(5, 8)
  t.same((await history()).slice(3), [
    ['partial_outage', 'incident', 4],
    ['major_outage', 'incident', 5],
    ['operational', 'manual', 8],
  ])
  await request(on.remove, { params: { id: second.id } })
  await request(on.remove, { params: { id: first.id } })
  t.same(await history(), recorded)
})

t.test('corrected times and statuses move the outage, without an event', async (t) => {
  const { api, history, uptime, enter, patch, emitted, at } = await setUp()
  kit.clock.advance(10 * HOUR_MS)
  const { id } = await enter(2, 5)
  await emitted()
  const moved = await patch(id, { startedAt: at(3), resolvedAt: at(4) })
  t.match(moved.body, { version: 2, startedAt: at(3), resolvedAt: at(4) })
  t.match(await uptime(0, 10), { percentage: 90 })
  await patch(id, { componentStatuses: { [api]: 'partial_outage' } })
  t.same(await history(), [
    ['operational', 'manual', 0],
    ['partial_outage', 'incident', 3],
    ['operational', 'manual', 4],
  ])
  const { events, audit } = await emitted()
  t.same(events, [])
  t.same(audit, ['incident.update', 'incident.update'])
  const same = await patch(id, { startedAt: at(3), resolvedAt: at(4) })
  t.equal(same.body.version, 3)
  await patch(id, { componentIds: [] })
  t.match(await uptime(0, 10), { percentage: 100 })
})

t.test('an outage before the creation extends the known history', async (t) => {
  const { history, uptime, enter, patch, request, api, at } = await setUp()
  kit.clock.advance(HOUR_MS)
  const { id } = await enter(-4, -3)
  t.same(await history(), [
    ['major_outage', 'incident', -4],
    ['operational', 'manual', -3],
  ])
  t.match(await uptime(-9, 1), { percentage: 80, windowStart: at(-4) })
  const { body } = await request(componentOperations.read, { params: { id: api } })
  t.ok(body.uptimePercentage < 81)
  await patch(id, { startedAt: at(-1), resolvedAt: at(0.5) })
  t.same(await history(), [
    ['major_outage', 'incident', -1],
    ['operational', 'manual', 1],
  ])
  await request(on.remove, { params: { id } })
  t.same(await history(), [['operational', 'manual', 0]])
})

t.test('corrected times of an incident that was open correct what it recorded', async (t) => {
  const { api, history, open, patch, emitted, at } = await setUp()
  kit.clock.advance(4 * HOUR_MS)
  const { id } = await open({ componentStatuses: { [api]: 'partial_outage' } })
  kit.clock.advance(HOUR_MS)
  await patch(id, { componentStatuses: { [api]: 'major_outage' }, message: 'Worse.' })
  kit.clock.advance(3 * HOUR_MS)
  await patch(id, { status: 'resolved' })
  kit.clock.advance(2 * HOUR_MS)
  await emitted()
  await patch(id, { startedAt: at(2), resolvedAt: at(7) })
  t.same(await history(), [
    ['operational', 'manual', 0],
    ['partial_outage', 'incident', 2],
    ['major_outage', 'incident', 5],
    ['operational', 'manual', 7],
  ])
  await patch(id, { startedAt: at(4.6), resolvedAt: at(9) })
  t.same(await history(), [
    ['operational', 'manual', 0],
    ['partial_outage', 'incident', 5],
    ['major_outage', 'incident', 5],
    ['operational', 'manual', 9],
  ])
  t.same((await emitted()).events, [])
  await patch(id, { title: 'Other', startedAt: at(4) })
  t.match((await emitted()).events, [{ kind: 'incident.updated' }])
})

t.test('an incident that is resolved with an earlier time ends its outage there', async (t) => {
  const { api, history, open, patch, status, emitted, at } = await setUp()
  kit.clock.advance(HOUR_MS)
  const { id } = await open({ componentStatuses: { [api]: 'major_outage' } })
  kit.clock.advance(5 * HOUR_MS)
  await emitted()
  const { body } = await patch(id, { status: 'resolved', resolvedAt: at(3) })
  t.match(body, { status: 'resolved', resolvedAt: at(3), isBackfilled: false })
  t.equal(await status(api), 'operational manual')
  t.same(await history(), [
    ['operational', 'manual', 0],
    ['major_outage', 'incident', 1],
    ['operational', 'manual', 3],
  ])
  t.match((await emitted()).events, [{ kind: 'incident.resolved' }])
})

t.test('a correction keeps the outage of another incident at the same time', async (t) => {
  const { api, history, open, patch, at } = await setUp()
  kit.clock.advance(HOUR_MS)
  const first = await open({ componentStatuses: { [api]: 'major_outage' } })
  kit.clock.advance(HOUR_MS)
  const second = await open({ componentStatuses: { [api]: 'major_outage' } })
  kit.clock.advance(4 * HOUR_MS)
  await patch(first.id, { status: 'resolved' })
  await patch(second.id, { status: 'resolved' })
  await patch(first.id, { resolvedAt: at(1.6) })
  t.same(await history(), [
    ['operational', 'manual', 0],
    ['major_outage', 'incident', 1],
    ['operational', 'manual', 2],
    ['major_outage', 'incident', 2],
    ['operational', 'manual', 6],
  ])
})

t.test('a reopened incident retains its past outage and is live again', async (t) => {
  const { api, history, enter, patch, request, status, emitted, at } = await setUp()
  kit.clock.advance(10 * HOUR_MS)
  const { id } = await enter(2, 5)
  await emitted()
  const reopened = { componentStatuses: { [api]: 'partial_outage' } }
  await request(on.reopen, { params: { id }, body: reopened })
  t.match((await emitted()).events, [{ kind: 'incident.reopened' }])
  t.equal(await status(api), 'partial_outage incident')
  kit.clock.advance(2 * HOUR_MS)
  await patch(id, { status: 'resolved' })
  kit.clock.advance(HOUR_MS)
  await patch(id, { startedAt: at(3), resolvedAt: at(11) })
  t.same(await history(), [
    ['operational', 'manual', 0],
    ['major_outage', 'incident', 3],
    ['operational', 'manual', 5],
    ['partial_outage', 'incident', 10],
    ['operational', 'manual', 11],
  ])
})

t.test('service levels and their reports follow a correction', async (t) => {
  const { api, enter, patch, request, at } = await setUp()
  kit.clock.advance(10 * HOUR_MS)
  const body = {
    name: 'API',
    componentIds: [api],
    targetPercentage: 95,
    resolutionTargetMinutes: 60,
    windowDays: 1,
  }
  const { id } = (await request(slaOperations.create, { body })).body
  const current = async () => (await request(slaOperations.read, { params: { id } })).body.current
  t.equal((await current()).percentage, 100)
  const incident = await enter(2, 5)
  const first = await current()
  t.ok(first.percentage > 69 && first.percentage < 71)
  t.equal(first.status, 'breached')
  const { body: report } = await request(slaOperations.report, { params: { id } })
  t.match(report.outages, [{ startedAt: at(2), endedAt: at(5), seconds: 3 * 3600 }])
  t.match(report.incidents, [
    { responseSeconds: 3 * 3600, resolutionSeconds: 3 * 3600, resolutionBreached: true },
  ])
  await patch(incident.id, { resolvedAt: at(2.1) })
  t.ok((await current()).percentage > 98)
})

t.test('bad times are refused with their field, and nothing is stored', async (t) => {
  const { api, at, request, enter, patch, history } = await setUp()
  kit.clock.advance(10 * HOUR_MS)
  const over = { title: 'Over', status: 'resolved', componentStatuses: { [api]: 'major_outage' } }
  const cases: [object, string][] = [
    [{ ...over, startedAt: at(5), resolvedAt: at(4) }, 'resolvedAt'],
    [{ ...over, startedAt: at(5), resolvedAt: at(5) }, 'resolvedAt'],
    [{ ...over, startedAt: at(5), resolvedAt: at(11) }, 'resolvedAt'],
    [{ ...over, startedAt: at(11), resolvedAt: at(12) }, 'startedAt'],
    [{ ...over, resolvedAt: at(4) }, 'resolvedAt'],
    [{ ...over, startedAt: at(1), resolvedAt: at(4), status: 'monitoring' }, 'resolvedAt'],
    [{ ...over, startedAt: at(1), resolvedAt: 'yesterday' }, 'resolvedAt'],
    [{ ...over, startedAt: at(1), resolvedAt: null }, 'resolvedAt'],
  ]
  for (const [body, field] of cases) {
    const refused = await request(on.create, { body })
    t.match(refused, { status: 400, body: { error: { details: { field } } } })
  }
  const foreign = newId()
  const other = {
    startedAt: at(1),
    resolvedAt: at(2),
    componentStatuses: { [foreign]: 'major_outage' },
  }
  const refused = await request(on.create, { body: { ...over, ...other } })
  t.match(refused, {
    status: 400,
    body: { error: { details: { field: `componentStatuses.${foreign}` } } },
  })
  t.same(await history(), [['operational', 'manual', 0]])
  const { id } = await enter(2, 5)
  for (const [body, field] of [
    [{ startedAt: at(6) }, 'startedAt'],
    [{ resolvedAt: at(1) }, 'resolvedAt'],
    [{ resolvedAt: at(11) }, 'resolvedAt'],
    [{ status: 'monitoring', resolvedAt: at(4) }, 'resolvedAt'],
  ] as [object, string][]) {
    t.match(await patch(id, body), { status: 400, body: { error: { details: { field } } } })
  }
  t.equal((await history()).length, 3)
})
