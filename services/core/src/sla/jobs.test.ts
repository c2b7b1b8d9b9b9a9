/** Time-dependent changes of service levels are found every minute, and published once. */
import {
  componentOperations,
  incidentOperations,
  slaOperations as on,
} from '@status-page/contracts'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const work = kit.jobs.find(({ name }) => name === 'sla')

/** Runs the job until no service level is due. */
const runDue = async () => {
  while (((await work?.run(new AbortController().signal)) ?? 0) > 0);
}

const organization = async (more: object = {}) => {
  const { request, organizationId } = kit.as()
  const { body: component } = await request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'API' },
  })
  kit.clock.advance(10 * HOUR_MS)
  const { body: sla } = await request(on.create, {
    body: {
      name: 'API',
      componentIds: [component.id],
      targetPercentage: 90,
      windowDays: 1,
      ...more,
    },
  })
  await kit.outbox(organizationId)
  const show = (status: string) =>
    request(componentOperations.update, { params: { id: component.id }, body: { status } })
  const emitted = async () =>
    (await kit.outbox(organizationId)).events
      .filter(({ kind }) => kind.startsWith('sla.'))
      .map(({ kind, version }) => `${kind} ${version}`)
  const listed = async () => (await request(on.list)).body.data[0].current
  return { request, componentIds: [component.id], sla, show, emitted, listed }
}

t.test('each change of status is published once, and the list follows', async (t) => {
  const { show, emitted, listed } = await organization({ atRiskThreshold: 50 })
  t.equal((await listed()).status, 'healthy')
  await show('major_outage')
  kit.clock.advance(HOUR_MS + HOUR_MS / 2)
  t.equal((await listed()).status, 'healthy', 'until its evaluation')
  await runDue()
  t.same(await emitted(), ['sla.at-risk 2'])
  t.match(await listed(), { status: 'at_risk' })
  kit.clock.advance(MINUTE_MS)
  await runDue()
  t.same(await emitted(), [])
  kit.clock.advance(2 * HOUR_MS)
  await runDue()
  t.same(await emitted(), ['sla.breached 3'])
  await show('operational')
  kit.clock.advance(40 * HOUR_MS)
  await runDue()
  t.same(await emitted(), ['sla.recovered 4'])
})

t.test('it is due once a minute', async (t) => {
  const { listed } = await organization()
  await runDue()
  const { evaluatedAt } = await listed()
  await runDue()
  t.equal((await listed()).evaluatedAt, evaluatedAt)
  kit.clock.advance(MINUTE_MS)
  await runDue()
  t.ok((await listed()).evaluatedAt > evaluatedAt)
})

t.test('a disabled service level is never due', async (t) => {
  const { request, sla, show, emitted, listed } = await organization({ isEnabled: false })
  await show('major_outage')
  kit.clock.advance(20 * HOUR_MS)
  await runDue()
  t.same(await emitted(), [])
  t.equal((await listed()).status, 'paused')
  await request(on.update, { params: { id: sla.id }, body: { isEnabled: true } })
  t.same(await emitted(), ['sla.breached 3'])
})

t.test('two replicas publish a change of status once', async (t) => {
  const { show, emitted } = await organization()
  await show('major_outage')
  kit.clock.advance(8 * HOUR_MS)
  await Promise.all([runDue(), runDue(), runDue()])
  t.same(await emitted(), ['sla.breached 2'])
})

t.test('missed targets of incidents are published once each', async (t) => {
  const targets = { responseTargetMinutes: 15, resolutionTargetMinutes: 60 }
  const { request, componentIds, emitted } = await organization(targets)
  const open = async (body: object) =>
    (await request(incidentOperations.create, { body: { title: 'Down', ...body } })).body
      .id as string
  await open({})
  const id = await open({ componentIds })
  kit.clock.advance(20 * MINUTE_MS)
  await runDue()
  t.same(await emitted(), [], 'the user who opens it has responded')
  kit.clock.advance(45 * MINUTE_MS)
  await runDue()
  t.same(await emitted(), ['sla.resolution-breached 2'])
  kit.clock.advance(HOUR_MS)
  await runDue()
  t.same(await emitted(), [])
  await request(incidentOperations.update, { params: { id }, body: { status: 'resolved' } })
  const startedAt = new Date(Date.now() + kit.clock.offsetMs() - 20 * MINUTE_MS).toISOString()
  await open({ componentIds, startedAt, status: 'resolved' })
  kit.clock.advance(MINUTE_MS)
  await runDue()
  t.same(await emitted(), ['sla.response-breached 3'], 'although it is resolved by now')
})

t.test('incidents from before the service level do not count', async (t) => {
  const { request, componentIds, emitted } = await organization()
  await request(incidentOperations.create, { body: { title: 'Old', componentIds } })
  kit.clock.advance(HOUR_MS)
  const body = { name: 'New', componentIds, targetPercentage: 1, resolutionTargetMinutes: 30 }
  await request(on.create, { body })
  kit.clock.advance(HOUR_MS)
  await runDue()
  t.same(await emitted(), [])
})
