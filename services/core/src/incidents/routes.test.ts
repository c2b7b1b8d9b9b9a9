/** Operations of incidents, status by status, over a real database. */
import {
  componentOperations,
  MAX_INCIDENT_UPDATES,
  incidentOperations as on,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import { organizationOn } from './incidents.fixture.ts'

const kit = await coreKit(t)
const organization = () => organizationOn(kit)

t.test('an incident opens with its components and emits one event', async (t) => {
  const { request, component, status, emitted, open, organizationId } = organization()
  const [a, b] = [await component('A'), await component('B', { isMuted: true })]
  await kit.outbox(organizationId)
  const body = await open({
    impact: 'major',
    message: 'm',
    componentIds: [a],
    componentStatuses: { [b]: 'partial_outage' },
  })
  t.match(body, {
    status: 'investigating',
    impact: 'major',
    message: 'm',
    source: 'manual',
    version: 1,
    isAutoCreated: false,
    triggerComponentId: null,
    autoResolved: false,
    resolvedAt: null,
    reopenedAt: null,
    reopenCount: 0,
    url: null,
    components: [
      { id: a, name: 'A', status: 'operational' },
      { id: b, name: 'B', status: 'partial_outage' },
    ],
  })
  t.equal(await status(b), 'partial_outage incident')
  const { events, audit } = await emitted()
  t.same(audit, ['incident.create'])
  t.match(events, [{ kind: 'incident.created', version: 1, aggregate: body.id }])
  t.match(events[0]?.data.incident, {
    message: 'm',
    notifySubscribers: true,
    components: [{ isMuted: false }, { id: b, isMuted: true, ancestorIds: [] }],
  })
  const { body: read } = await request(on.read, {
    params: { id: body.id },
    query: { include: 'updates' },
  })
  t.match(read.updates, [{ status: 'investigating', message: 'm' }])
})

t.test('an invalid body is 400 and names the field', async (t) => {
  const { request, organizationId } = organization()
  const unknown = newId()
  const cases: [object, string][] = [
    [{}, 'title'],
    [{ title: ' \u200b ' }, 'title'],
    [{ title: 'x', status: 'open' }, 'status'],
    [{ title: 'x', impact: 'none' }, 'impact'],
    [{ title: 'x', componentIds: [unknown] }, 'componentIds[0]'],
    [
      { title: 'x', componentStatuses: { [unknown]: 'operational' } },
      `componentStatuses.${unknown}`,
    ],
    [{ title: 'x', componentStatuses: { nonsense: 'operational' } }, 'componentStatuses.nonsense'],
    [
      { title: 'x', componentStatuses: { [unknown]: 'under_maintenance' } },
      `componentStatuses.${unknown}`,
    ],
    [{ title: 'x', startedAt: '2999-01-01T00:00:00Z' }, 'startedAt'],
    [{ title: 'x', startedAt: '2024-02-30T00:00:00Z' }, 'startedAt'],
    [{ title: 'x', message: 'm'.repeat(25_001) }, 'message'],
  ]
  for (const [body, field] of cases) {
    const response = await request(on.create, { body })
    t.equal(response.status, 400, JSON.stringify(body).slice(0, 80))
    t.equal(response.body.error.details.field, field)
  }
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
})

t.test(
  'resolving with statuses sets them manually, without statuses sets operational',
  async (t) => {
    const { request, component, status, open, emitted } = organization()
    const [a, b] = [await component('A'), await component('B')]
    const statuses = { [a]: 'major_outage', [b]: 'partial_outage' }
    const first = await open({ componentStatuses: statuses })
    const post = (id: string, body: object) => request(on.addUpdate, { params: { id }, body })
    await emitted()
    const done = await post(first.id, {
      status: 'resolved',
      message: 'Fixed.',
      componentStatuses: { [a]: 'degraded_performance' },
    })
    t.equal(done.status, 201)
    t.match(done.body, {
      status: 'resolved',
      message: 'Fixed.',
      incident: { status: 'resolved', version: 2, message: 'Fixed.' },
    })
    t.ok(done.body.incident.resolvedAt)
    t.equal(await status(a), 'degraded_performance manual')
    t.equal(await status(b), 'operational manual')
    const { events, audit } = await emitted()
    t.match(events, [{ kind: 'incident.resolved', version: 2 }])
    t.same(audit, ['incident.update'])
    const second = await open({ componentStatuses: statuses })
    const third = await open({ componentStatuses: { [a]: 'partial_outage' } })
    await post(second.id, { status: 'resolved' })
    t.equal(
      await status(a),
      'partial_outage incident',
      'the other open incident still determines the status',
    )
    t.equal(await status(b), 'operational manual')
    await post(third.id, { status: 'resolved' })
    t.equal(await status(a), 'operational manual')
  },
)

t.test('one request emits one event: reopened, else resolved, else updated', async (t) => {
  const { request, open, emitted } = organization()
  const { id } = await open({ message: 'first' })
  await emitted()
  const params = { id }
  const patch = (body: object) => request(on.update, { params, body })
  const steps: [object, string | null, string][] = [
    [{ title: 'New' }, 'incident.updated', 'investigating'],
    [{ title: 'New' }, null, 'investigating'],
    [{ status: 'investigating', notifySubscribers: false }, null, 'investigating'],
    [{ status: 'resolved', impact: 'critical' }, 'incident.resolved', 'resolved'],
    [{ message: 'late note' }, 'incident.updated', 'resolved'],
    [{ status: 'monitoring' }, 'incident.reopened', 'monitoring'],
  ]
  for (const [body, kind, status] of steps) {
    const response = await patch(body)
    t.equal(response.status, 200)
    t.equal(response.body.status, status)
    const { events, audit } = await emitted()
    t.same(
      events.map((event) => event.kind),
      kind === null ? [] : [kind],
    )
    t.same(audit, kind === null ? [] : ['incident.update'])
  }
  const { body } = await request(on.read, { params, query: { include: 'updates' } })
  t.match(body, { reopenCount: 1, resolvedAt: null, version: 5, message: 'late note' })
  t.ok(body.reopenedAt)
  t.same(
    body.updates.map((one: { status: string; message: string }) => `${one.status}:${one.message}`),
    ['monitoring:', 'resolved:late note', 'resolved:', 'investigating:first'],
  )
})

t.test('an outdated If-Match is 409, the current one succeeds', async (t) => {
  const { request, open } = organization()
  const { id } = await open({})
  const params = { id }
  const write = (version: string) =>
    request(on.update, { params, body: { title: `t${version}` }, headers: { 'if-match': version } })
  const stale = await write('"2"')
  t.equal(stale.status, 409)
  t.equal(stale.body.error.details.reason, 'version_mismatch')
  t.equal((await write('"1"')).status, 200)
  for (const operation of [on.addUpdate, on.reopen]) {
    const body = { message: 'x' }
    const response = await request(operation, { params, body, headers: { 'if-match': '"1"' } })
    t.equal(response.status, 409)
  }
  const gone = await request(on.remove, { params, headers: { 'if-match': '"1"' } })
  t.equal(gone.status, 409)
})

t.test('removed components lose their claim, and only listed ones may have a status', async (t) => {
  const { request, component, status, open } = organization()
  const [a, b] = [await component('A'), await component('B')]
  const { id } = await open({ componentStatuses: { [a]: 'major_outage' } })
  const params = { id }
  const response = await request(on.update, { params, body: { componentIds: [b] } })
  t.same(
    response.body.components.map((one: { id: string }) => one.id),
    [b],
  )
  t.equal(await status(a), 'operational manual')
  const bad = await request(on.update, { params, body: { componentIds: [newId()] } })
  t.equal(bad.body.error.details.field, 'componentIds[0]')
})

t.test(
  'an incident retains the name of a deleted component, and accepts its id again',
  async (t) => {
    const { request, component, open } = organization()
    const a = await component('A', { status: 'partial_outage' })
    const { id } = await open({ componentIds: [a] })
    await request(componentOperations.remove, { params: { id: a } })
    const { body } = await request(on.read, { params: { id } })
    t.same(body.components, [{ id: a, name: 'A', status: 'partial_outage' }])
    const again = await request(on.update, {
      params: { id },
      body: { componentIds: [a], title: 'x' },
    })
    t.equal(again.status, 200)
  },
)

t.test('reopening needs a resolved incident', async (t) => {
  const { request, open, emitted } = organization()
  const { id } = await open({})
  const params = { id }
  const early = await request(on.reopen, { params, body: {} })
  t.equal(early.status, 409)
  t.equal(early.body.error.details.reason, 'invalid_state')
  await request(on.addUpdate, { params, body: { status: 'resolved' } })
  await emitted()
  const response = await request(on.reopen, { params, body: {} })
  t.equal(response.status, 200)
  t.match(response.body, { status: 'investigating', resolvedAt: null, reopenCount: 1 })
  t.match((await emitted()).events, [{ kind: 'incident.reopened', version: 3 }])
  t.equal((await request(on.reopen, { params: { id: newId() }, body: {} })).status, 404)
})

t.test(
  'an incident created as resolved emits only created and sets statuses manually',
  async (t) => {
    const { component, status, open, emitted } = organization()
    const a = await component('A')
    await emitted()
    const startedAt = '2026-01-01T00:00:00+02:00'
    const body = await open({
      status: 'resolved',
      startedAt,
      componentStatuses: { [a]: 'degraded_performance' },
    })
    t.equal(body.startedAt, '2025-12-31T22:00:00.000Z')
    t.ok(body.resolvedAt)
    t.equal(await status(a), 'degraded_performance manual')
    t.same(
      (await emitted()).events.map(({ kind }) => kind),
      ['incident.created'],
    )
  },
)

t.test(
  'an incident recorded afterwards does not change the history of its components',
  async (t) => {
    const { request, component, open, organizationId } = organization()
    const a = await component('A')
    kit.clock.advance(3_600_000)
    const historyOf = async () => {
      const rows = await kit.database.batchSql.begin(async (sql) => {
        await sql`SELECT set_config('app.org', ${organizationId}, true)`
        return sql`SELECT status, started_at FROM component_status_intervals
        WHERE component_id = ${a} ORDER BY started_at`
      })
      return rows.map(({ status }) => status)
    }
    const startedAt = new Date(Date.now() + kit.clock.offsetMs() - 1_800_000).toISOString()
    const componentStatuses = { [a]: 'operational' }
    const noted = await open({ status: 'resolved', startedAt, componentStatuses })
    t.equal(noted.startedAt, startedAt)
    t.same(await historyOf(), ['operational'], 'the displayed history is unchanged')
    const params = { id: noted.id }
    const earlier = new Date(Date.parse(startedAt) - 60_000).toISOString()
    const moved = await request(on.update, { params, body: { startedAt: earlier } })
    t.equal(moved.body.startedAt, earlier)
    t.same(await historyOf(), ['operational'])
    const future = await request(on.update, { params, body: { startedAt: '2999-01-01T00:00:00Z' } })
    t.equal(future.body.error.details.field, 'startedAt')
  },
)

t.test('deleting ends the claims and notifies projections only', async (t) => {
  const { request, component, status, open, emitted } = organization()
  const a = await component('A')
  const { id } = await open({ componentStatuses: { [a]: 'major_outage' } })
  await emitted()
  t.same((await request(on.remove, { params: { id } })).body, { success: true })
  t.equal(await status(a), 'operational manual')
  const { events, audit } = await emitted()
  t.match(events, [{ kind: 'incident.deleted', version: 2 }])
  t.same(audit, ['incident.delete'])
  t.equal((await request(on.read, { params: { id } })).status, 404)
  t.equal((await request(on.remove, { params: { id } })).status, 404)
})

t.test('an update needs a message or a status, and their number is limited', async (t) => {
  const { request, open } = organization()
  const { id } = await open({})
  const params = { id }
  const empty = await request(on.addUpdate, { params, body: { notifySubscribers: false } })
  t.equal(empty.status, 400)
  t.equal(
    (await request(on.addUpdate, { params: { id: newId() }, body: { message: 'x' } })).status,
    404,
  )
  let count = 1
  while (count < MAX_INCIDENT_UPDATES) {
    const batch = Math.min(25, MAX_INCIDENT_UPDATES - count)
    const posts = Array.from({ length: batch }, () =>
      request(on.addUpdate, { params, body: { message: 'x' } }),
    )
    // On a busy machine, some of the requests wait too long for the incident and receive 503.
    count += (await Promise.all(posts)).filter(({ status }) => status === 201).length
  }
  const full = await request(on.addUpdate, { params, body: { message: 'x' } })
  t.equal(full.status, 409)
  t.equal(full.body.error.details.reason, 'invalid_state')
})
