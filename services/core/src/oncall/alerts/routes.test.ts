/** Alerts over HTTP: every status, every filter, and isolation between organizations. */
import { oncallAlertOperations as on } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { oncallScenario } from '../oncall.fixture.ts'

const kit = await coreKit(t)
const MINUTE_MS = 60_000

t.test(
  'acknowledge and resolve may be repeated; a resolved alert cannot be acknowledged',
  async (t) => {
    const { request, schedule, component, reportDown, alerts, organizationId } =
      await oncallScenario(kit)
    await schedule()
    await reportDown(await component('API'))
    const [alert] = await alerts()
    const params = { id: alert?.id ?? '' }
    await kit.outbox(organizationId)
    const first = await request(on.acknowledge, { params })
    t.match(await request(on.acknowledge, { params }), { status: 200, body: first.body })
    const resolved = await request(on.resolve, { params })
    t.match(resolved, { status: 200, body: { status: 'resolved' } })
    t.match(await request(on.resolve, { params }), { status: 200, body: resolved.body })
    t.match(await request(on.acknowledge, { params }), {
      status: 409,
      body: { error: { details: { reason: 'invalid_state' } } },
    })
    const { events, audit } = await kit.outbox(organizationId)
    t.same(
      events.map(({ kind }) => kind),
      ['oncall.acknowledged', 'oncall.resolved'],
    )
    t.same(audit, ['oncall_alert.update', 'oncall_alert.update'])
    const key = testCaller({ organizationId, permissions: ['oncall:read'] })
    for (const operation of [on.acknowledge, on.resolve]) {
      t.equal((await kit.request(operation, { caller: key, params })).status, 403)
      t.equal((await kit.request(operation, { params })).status, 401)
      t.equal((await kit.as().request(operation, { params })).status, 404)
      t.equal((await request(operation, { params: { id: newId() } })).status, 404)
    }
  },
)

t.test('alerts are filtered by subject, and listed only to their organization', async (t) => {
  const { request, schedule, component, reportDown, incident, alerts } = await oncallScenario(kit)
  const { id: scheduleId } = await schedule()
  const id = await component('API')
  await reportDown(id)
  kit.clock.advance(MINUTE_MS)
  const incidentId = await incident({ impact: 'major' })
  const [first, second] = await alerts()
  t.match([first, second], [{ componentId: id }, { incidentId }])
  await request(on.resolve, { params: { id: first?.id ?? '' } })
  const found = async (query: Record<string, unknown>) => {
    const response = await request(on.list, { query })
    t.equal(response.status, 200, JSON.stringify(query))
    return response.body.data.map((one: { id: string }) => (one.id === first?.id ? 1 : 2))
  }
  t.same(await found({}), [2, 1])
  t.same(await found({ sortBy: 'severity' }), [1, 2])
  t.same(await found({ sortBy: 'status' }), [2, 1])
  t.same(await found({ sortBy: 'status', sortOrder: 'desc' }), [1, 2])
  t.same(await found({ status: 'resolved' }), [1])
  t.same(await found({ resolved: true }), [1])
  t.same(await found({ resolved: false }), [2])
  t.same(await found({ severity: 'warning' }), [2])
  t.same(await found({ scheduleId }), [2, 1])
  t.same(await found({ scheduleId: newId() }), [])
  t.same(await found({ componentId: id }), [1])
  t.same(await found({ to: second?.triggeredAt }), [1])
  t.same(await found({ from: second?.triggeredAt }), [2])
  for (const query of [
    { status: 'open' },
    { severity: 'x' },
    { scheduleId: 'x' },
    { sortBy: 'x' },
  ]) {
    t.equal((await request(on.list, { query })).status, 400, JSON.stringify(query))
  }
  const from = { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }
  t.equal((await request(on.list, { query: from })).status, 400)
  const params = { id: first?.id ?? '' }
  t.match(await request(on.read, { params }), {
    status: 200,
    body: { id: first?.id, scheduleName: 'Primary', reason: 'HTTP 503', escalatesAt: null },
  })
  t.equal((await kit.as().request(on.read, { params })).status, 404)
  t.same((await kit.as().request(on.list)).body.data, [])
})
