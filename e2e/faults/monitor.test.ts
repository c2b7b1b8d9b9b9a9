/** kill -9 of the monitor while a target fails: the outage opens one incident. */
import { componentOperations, incidentOperations } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import t from 'tap'
import { assertDelivered, assertIdle } from '../kit/delivery-ledger.ts'
import { switchableTarget } from '../kit/receivers.ts'
import { createScenario } from '../kit/tenant.ts'
import { killAndRevive, startWorld } from '../kit/world.ts'

/** Expiry of the killed replica's leases, then two rounds of checks. */
const NOTICED_WITHIN_MS = 60_000

const world = await startWorld(t, { hasShortIntervals: true })
const scenario = await createScenario(t, world, { name: 'monitor-faults' })
const target = await switchableTarget(t)
const { api } = scenario.tenant
const component = await api.call(componentOperations.create, {
  body: {
    type: 'ENDPOINT',
    name: 'Shop',
    url: target.url,
    checkInterval: 10,
    failureThreshold: 2,
    recoveryThreshold: 1,
    autoCreateIncident: true,
  },
})

const monitor = async () => {
  const query = { include: ['monitors' as const] }
  const read = await api.call(componentOperations.read, { params: { id: component.id }, query })
  return read.monitors?.[0]
}
const incidents = async () =>
  (await api.call(incidentOperations.list, { query: { componentId: component.id } })).data

t.test(
  'killed between the first and the second failed check: the outage is detected after the restart',
  async (t) => {
    await eventually(() => target.requestCount > 0, { timeoutMs: 20_000 })
    await target.stop()
    await eventually(async () => ((await monitor())?.consecutiveFailures ?? 0) > 0, {
      timeoutMs: 30_000,
    })
    await killAndRevive(world, 'monitor')
    const [incident] = await eventually(
      async () => ((await incidents()).length > 0 ? incidents() : null),
      { timeoutMs: NOTICED_WITHIN_MS },
    )
    t.match(incident, { status: 'investigating', isAutoCreated: true })
    if (incident !== undefined) scenario.expectMessage('incident.created', incident)
    await scenario.allDelivered()
  },
)

t.test(
  'killed during the outage: no second incident is opened, and the recovery is detected',
  async (t) => {
    await killAndRevive(world, 'monitor')
    await target.start()
    const resolved = await eventually(
      async () => (await incidents()).find(({ status }) => status === 'resolved'),
      { timeoutMs: NOTICED_WITHIN_MS },
    )
    scenario.expectMessage('incident.resolved', resolved)
    await scenario.allDelivered()
    t.equal((await incidents()).length, 1)
  },
)

t.test('finally every subscriber has received one outage and its end once', async (t) => {
  await assertIdle(t, world)
  assertDelivered(t, scenario.expectedMessages, scenario.hook.received())
  assertDelivered(t, scenario.expectedMessages, scenario.mails())
})
