/** An acknowledged alert counts as a response to its incident. */
import { slaOperations as on, oncallAlertOperations, type SlaReport } from '@status-page/contracts'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import { oncallScenario } from '../oncall/oncall.fixture.ts'

const kit = await coreKit(t)
const MINUTE_MS = 60_000

/** A component that is down, with an automatic incident and an alert, before any response. */
const down = async () => {
  const organization = await oncallScenario(kit)
  await organization.schedule()
  const componentId = await organization.component('API', { autoCreateIncident: true })
  const { body: sla } = await organization.request(on.create, {
    body: {
      name: 'API',
      componentIds: [componentId],
      targetPercentage: 50,
      responseTargetMinutes: 15,
    },
  })
  kit.clock.advance(MINUTE_MS)
  await kit.publishAndHandle(
    'monitor',
    organization.organizationId,
    organization.monitorEvent(componentId, true),
  )
  await kit.outbox(organization.organizationId)
  const emitted = async () => {
    await kit.jobs.find(({ name }) => name === 'sla')?.run(new AbortController().signal)
    const { events } = await kit.outbox(organization.organizationId)
    return events.map(({ kind }) => kind).filter((kind) => kind === 'sla.response-breached')
  }
  const incident = async () => {
    const { body } = await organization.request(on.report, { params: { id: sla.id } })
    return (body as SlaReport).incidents[0]
  }
  return { ...organization, emitted, incident }
}

t.test('the target is missed without a response', async (t) => {
  const { emitted, incident } = await down()
  kit.clock.advance(14 * MINUTE_MS)
  t.same(await emitted(), [])
  kit.clock.advance(2 * MINUTE_MS)
  t.same(await emitted(), ['sla.response-breached'])
  t.match(await incident(), { responseSeconds: null, responseBreached: true })
})

t.test('an acknowledgement in time meets it', async (t) => {
  const { request, alerts, emitted, incident } = await down()
  kit.clock.advance(10 * MINUTE_MS)
  const [alert] = await alerts()
  await request(oncallAlertOperations.acknowledge, { params: { id: alert.id } })
  kit.clock.advance(10 * MINUTE_MS)
  t.same(await emitted(), [])
  const met = await incident()
  t.equal(met?.responseBreached, false)
  t.equal(Math.round((met?.responseSeconds ?? 0) / 60), 10)
})
