/** Whom an alert reaches step by step, each step once; over a real database. */
import { oncallAlertOperations as on, oncallScheduleOperations } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { channelGone, channelMade, joins, leaves, oncallOn, person } from '../oncall.fixture.ts'

const kit = await coreKit(t)
const MINUTE_MS = 60_000

t.test('steps come at their time, each once, until somebody acknowledges', async (t) => {
  const { ana, bob, ask, caller, schedule, component, goesDown, alerts, told, escalate } =
    await oncallOn(kit)
  await schedule({
    escalation: [
      { delayMinutes: 0, targets: ['schedule'] },
      { delayMinutes: 15, targets: [`user:${bob.userId}`] },
      { delayMinutes: 30, targets: ['schedule', `user:${bob.userId}`] },
    ],
  })
  await goesDown(await component('API'))
  await escalate()
  t.same(await told(), ['triggered Ana'])
  kit.clock.advance(15 * MINUTE_MS)
  await escalate()
  await escalate()
  t.same(await told(), ['escalated Bob'])
  const [alert] = await alerts()
  t.match(alert, { escalationLevel: 1, assignedUserIds: [ana.userId, bob.userId] })
  const params = { id: alert?.id ?? '' }
  const { body } = await ask(on.acknowledge, { params })
  t.match(body, { status: 'acknowledged', acknowledgedBy: caller.actor.userId })
  t.same(await told(), ['acknowledged Ana Bob'])
  kit.clock.advance(60 * MINUTE_MS)
  await escalate()
  t.same(await told(), [])
})

t.test('two replicas at once take a step once', async (t) => {
  const { bob, schedule, component, goesDown, told, escalate } = await oncallOn(kit)
  const later = { delayMinutes: 1, targets: [`user:${bob.userId}`] }
  await schedule({ escalation: [{ delayMinutes: 0, targets: ['schedule'] }, later] })
  await goesDown(await component('API'))
  kit.clock.advance(MINUTE_MS)
  await Promise.all([escalate(), escalate(), escalate()])
  t.same(await told(), ['triggered Ana', 'escalated Bob'])
})

t.test('a first step that waits tells nobody before its time', async (t) => {
  const { schedule, component, goesDown, told, escalate } = await oncallOn(kit)
  await schedule({ escalation: [{ delayMinutes: 5, targets: ['schedule'] }] })
  await goesDown(await component('API'))
  await escalate()
  t.same(await told(), ['triggered'])
  kit.clock.advance(5 * MINUTE_MS)
  await escalate()
  t.same(await told(), ['escalated Ana'])
})

t.test('channels of the steps that were taken hear the rest, removed ones nothing', async (t) => {
  const { organizationId, schedule, component, goesDown, recovers, told, escalate } =
    await oncallOn(kit)
  const [ops, chat, late] = [newId(), newId(), newId()]
  const made = [ops, chat, late].map(channelMade)
  await kit.tell('notifier', organizationId, ...made)
  await schedule({
    escalation: [
      { delayMinutes: 0, targets: ['schedule', `channel:${ops}`] },
      { delayMinutes: 5, targets: [`channel:${chat}`] },
      { delayMinutes: 60, targets: [`channel:${late}`] },
    ],
  })
  const id = await component('API')
  await goesDown(id)
  t.same(await told(), [`triggered Ana ${ops}`])
  kit.clock.advance(5 * MINUTE_MS)
  await escalate()
  t.same(await told(), [`escalated ${chat}`])
  await kit.tell('notifier', organizationId, channelGone(ops))
  await recovers(id)
  t.same(await told(), [`resolved Ana ${chat}`])
})

t.test('where a step finds nobody the next one comes at once', async (t) => {
  const { ana, bob, schedule, component, goesDown, alerts, told, stateMembers } =
    await oncallOn(kit)
  const later = [{ delayMinutes: 0, targets: ['schedule'] }]
  await schedule({
    escalation: [...later, { delayMinutes: 60, targets: [`user:${bob.userId}`] }],
  })
  const empty = await schedule({ name: 'Second', escalation: later })
  await stateMembers(leaves(ana))
  await goesDown(await component('API'))
  t.same((await told()).sort(), ['triggered', 'triggered Bob'])
  t.match(await alerts({ scheduleId: empty.id }), [
    { noResponder: true, assignedUserIds: [], escalationLevel: 0 },
  ])
  t.match(
    (await alerts()).filter(({ scheduleId }: { scheduleId: string }) => scheduleId !== empty.id),
    [{ noResponder: true, assignedUserIds: [bob.userId], escalationLevel: 1 }],
  )
})

t.test('open alerts go on by a changed escalation, and stop with their schedule', async (t) => {
  const { bob, ask, schedule, component, goesDown, told, escalate } = await oncallOn(kit)
  const { id } = await schedule()
  await goesDown(await component('API'))
  await told()
  const first = { delayMinutes: 0, targets: ['schedule'] }
  const second = { delayMinutes: 10, targets: [`user:${bob.userId}`] }
  const third = { delayMinutes: 20, targets: ['schedule'] }
  const change = (body: object) => ask(oncallScheduleOperations.update, { params: { id }, body })
  await change({ escalation: [first, second, third] })
  kit.clock.advance(10 * MINUTE_MS)
  await escalate()
  t.same(await told(), ['escalated Bob'])
  await change({ isEnabled: false })
  kit.clock.advance(10 * MINUTE_MS)
  await escalate()
  t.same(await told(), [])
  await change({ isEnabled: true })
  await escalate()
  t.same(await told(), ['escalated Ana'])
  await ask(oncallScheduleOperations.remove, { params: { id } })
  await escalate()
  t.same(await told(), [])
})

t.test('who joins while an alert is open is reached by its later steps', async (t) => {
  const { ask, schedule, component, goesDown, told, escalate, stateMembers } = await oncallOn(kit)
  const { id } = await schedule()
  await goesDown(await component('API'))
  const cem = person('Cem')
  await stateMembers(joins(cem))
  const escalation = [
    { delayMinutes: 0, targets: ['schedule'] },
    { delayMinutes: 5, targets: [`user:${cem.userId}`] },
  ]
  await ask(oncallScheduleOperations.update, { params: { id }, body: { escalation } })
  kit.clock.advance(5 * MINUTE_MS)
  await told()
  await escalate()
  t.same(await told(), ['escalated Cem'])
})
