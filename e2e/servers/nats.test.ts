/**
 * NATS killed, unavailable or without its store: Postgres is the source of truth, so no
 * notification is lost or repeated.
 */
import { publicOperations } from '@status-page/contracts'
import t from 'tap'
import { assertDelivered, assertIdle, assertSettled } from '../kit/delivery-ledger.ts'
import { createScenario } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

/** Start of the bypass after failed round trips, its first sweep, and the delivery. */
const BYPASSED_WITHIN_MS = 45_000
/** The next check of the streams detects the new store. */
const REPLAYED_WITHIN_MS = 60_000
const LOAD = 30
const WIPED_AFTER = 10

const world = await startWorld(t, { durable: true, hasShortIntervals: true })
const scenario = await createScenario(t, world, { name: 'nats-faults' })
const { nats } = world.stack
if (nats === null) throw new Error('These tests need a nats-server')

t.test('killed and restarted: events committed in between are delivered', async (t) => {
  const incident = await scenario.open('Before the kill')
  await nats.kill('SIGKILL')
  await scenario.move(incident, 'identified')
  await nats.restart()
  await scenario.move(incident, 'monitoring')
  await t.resolves(scenario.allDelivered(REPLAYED_WITHIN_MS))
})

t.test('its store is deleted under load: every message is delivered once', async (t) => {
  let wiped: Promise<void> = Promise.resolve()
  for (let index = 0; index < LOAD; index++) {
    if (index === WIPED_AFTER) wiped = nats.wipe()
    await scenario.open(`Under load ${index}`)
  }
  await wiped
  await t.resolves(scenario.allDelivered(REPLAYED_WITHIN_MS))
})

t.test('unavailable during an incident: the API works, and subscribers are notified', async (t) => {
  await nats.kill('SIGKILL')
  const incident = await scenario.open('Without NATS')
  const page = await world.api.call(publicOperations.status, { params: { slug: 'nats-faults' } })
  t.ok(
    page.activeIncidents.some(({ id }) => id === incident.id),
    'the page shows the incident',
  )
  await scenario.allDelivered(BYPASSED_WITHIN_MS)
  await scenario.move(incident, 'resolved')
  await scenario.allDelivered(BYPASSED_WITHIN_MS)
  await nats.restart()
})

t.test('finally every subscriber has received every message once', async (t) => {
  await assertIdle(t, world)
  await assertSettled(t, world.admin)
  assertDelivered(t, scenario.expectedMessages, scenario.hook.received())
  assertDelivered(t, scenario.expectedMessages, scenario.mails())
})
