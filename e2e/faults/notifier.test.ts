/**
 * kill -9 of the notifier while it receives, commits and sends: one message each, except after an
 * unrecorded success.
 */
import { eventually } from '@status-page/testing'
import t from 'tap'
import { assertDelivered, assertIdle, assertSettled } from '../kit/delivery-ledger.ts'
import { createScenario } from '../kit/tenant.ts'
import { expireLeases } from '../kit/time.ts'
import { restartWithFault, reviveAfterFault, startWorld } from '../kit/world.ts'

/** The reaper runs every 5 s. */
const REAPED_WITHIN_MS = 30_000
/** JetStream redelivers a message that was not acknowledged after `ackWaitMs`. */
const REDELIVERED_WITHIN_MS = 60_000

const world = await startWorld(t, { hasShortIntervals: true })
// A leased delivery blocks its destination; a tenant of its own keeps the other deliveries
// unaffected.
const repeated = await createScenario(t, world, { name: 'accepted-unrecorded', mail: false })
const scenario = await createScenario(t, world, { name: 'notifier-faults' })

t.test('killed after the receiver’s 200, before it is recorded', async (t) => {
  // Only webhooks: a pending mail of an earlier tenant would end the process first.
  await restartWithFault(world, 'notifier', 'send.webhook.after_accept')
  await repeated.open('Accepted')
  await reviveAfterFault(world, 'notifier')
  t.equal(repeated.hook.requests.length, 1, 'the message has arrived')
})

t.test('killed after receive, before COMMIT: redelivered, notified once', async (t) => {
  await restartWithFault(world, 'notifier', 'react.after_receive')
  await scenario.open('Received')
  await reviveAfterFault(world, 'notifier')
  await t.resolves(scenario.allDelivered(REDELIVERED_WITHIN_MS))
})

t.test(
  'killed after COMMIT, before the acknowledgement: the receipt prevents a repetition',
  async (t) => {
    await restartWithFault(world, 'notifier', 'react.after_commit')
    const incident = await scenario.open('Committed')
    await reviveAfterFault(world, 'notifier')
    await t.resolves(scenario.allDelivered(REDELIVERED_WITHIN_MS))
    await scenario.move(incident, 'resolved')
  },
)

t.test('an accepted but unrecorded message is repeated with the same id', async (t) => {
  await expireLeases(world)
  const isRepeated = () => repeated.hook.requests.length > 1
  await eventually(isRepeated, { timeoutMs: REAPED_WITHIN_MS })
  const [first, second] = repeated.hook.received()
  t.equal(second?.key, first?.key, 'the same webhook-id')
  t.match([first?.attempt, second?.attempt], [1, 2])
  const [before, after] = repeated.hook.requests
  t.equal(after?.body, before?.body, 'the same bytes')
})

t.test('finally every subscriber has received every message, and that one twice', async (t) => {
  await assertIdle(t, world)
  await assertSettled(t, world.admin)
  assertDelivered(t, repeated.expectedMessages, repeated.hook.received(), { repeats: 1 })
  assertDelivered(t, scenario.expectedMessages, scenario.hook.received())
  assertDelivered(t, scenario.expectedMessages, scenario.mails())
})
