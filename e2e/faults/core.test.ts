/** kill -9 of core at each step of creating an incident: every committed event is notified once. */
import { eventually } from '@status-page/testing'
import t, { type Test } from 'tap'
import { assertDelivered, assertIdle, waitUntilIdle } from '../kit/delivery-ledger.ts'
import { createScenario, type Scenario } from '../kit/tenant.ts'
import { killAndRevive, restartWithFault, reviveAfterFault, startWorld } from '../kit/world.ts'

const world = await startWorld(t, { hasShortIntervals: true })
const scenario = await createScenario(t, world, { name: 'core-faults' })

/** The request fails when core is killed; the test then reads whether the incident exists. */
const openDuringFault = async (t: Test, { open }: Scenario, title: string) => {
  await t.rejects(
    open(title),
    /responded with 50[234]/,
    'the caller gets an error with an unknown outcome',
  )
  await reviveAfterFault(world, 'core')
}

t.test('killed before COMMIT: no incident, no event, no message', async (t) => {
  await restartWithFault(world, 'core', 'change.before_commit')
  await openDuringFault(t, scenario, 'Not committed')
  t.equal(await scenario.findIncident('Not committed'), undefined)
})

t.test('killed between COMMIT and publish: the event goes out after the restart', async (t) => {
  await restartWithFault(world, 'core', 'change.after_commit')
  await openDuringFault(t, scenario, 'Committed')
  const incident = await eventually(() => scenario.findIncident('Committed'))
  scenario.expectMessage('incident.created', incident)
  await scenario.allDelivered()
  await scenario.move(incident, 'identified')
})

t.test(
  'killed after the PubAck, before the event is marked: published twice, notified once',
  async (t) => {
    // The fault ends the process at the first event: none of an earlier test may be pending.
    await waitUntilIdle(world)
    await restartWithFault(world, 'core', 'relay.after_puback')
    const incident = await scenario.open('Published twice')
    await reviveAfterFault(world, 'core')
    await t.resolves(scenario.allDelivered())
    await scenario.move(incident, 'resolved')
  },
)

t.test('killed at any moment of a series of updates: no update is lost', async (t) => {
  const incident = await scenario.open('Before a series of updates')
  const killing = killAndRevive(world, 'core')
  const answers = await Promise.allSettled(
    Array.from({ length: 4 }, (_, index) => scenario.open(`During the kill ${index}`)),
  )
  await killing
  for (const [index, response] of answers.entries()) {
    if (response.status === 'fulfilled') continue
    const incident = await scenario.findIncident(`During the kill ${index}`)
    if (incident !== undefined) scenario.expectMessage('incident.created', incident)
  }
  await scenario.move(incident, 'monitoring')
  await t.resolves(scenario.allDelivered())
})

t.test('finally every subscriber has received every message once', async (t) => {
  await assertIdle(t, world)
  assertDelivered(t, scenario.expectedMessages, scenario.hook.received())
  assertDelivered(t, scenario.expectedMessages, scenario.mails())
})
