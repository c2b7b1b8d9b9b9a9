/** Escalation of alerts: recipients of each step, each step once, over a real database. */
import { oncallAlertOperations as on, oncallScheduleOperations } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import {
  channelAdded,
  channelRemoved,
  memberJoined,
  memberLeft,
  oncallScenario,
  person,
} from '../oncall.fixture.ts'

const kit = await coreKit(t)
const MINUTE_MS = 60_000

t.test('steps run at their time, each once, until a user acknowledges', async (t) => {
  const {
    ana,
    bob,
    request,
    caller,
    schedule,
    component,
    reportDown,
    alerts,
    takeNotifications,
    escalate,
  } = await oncallScenario(kit)
  await schedule({
    escalation: [
      { delayMinutes: 0, targets: ['schedule'] },
      { delayMinutes: 15, targets: [`user:${bob.userId}`] },
      { delayMinutes: 30, targets: ['schedule', `user:${bob.userId}`] },
    ],
  })
  await reportDown(await component('API'))
  await escalate()
  t.same(await takeNotifications(), ['triggered Ana'])
  kit.clock.advance(15 * MINUTE_MS)
  await escalate()
  await escalate()
  t.same(await takeNotifications(), ['escalated Bob'])
  const [alert] = await alerts()
  t.match(alert, { escalationLevel: 1, assignedUserIds: [ana.userId, bob.userId] })
  const params = { id: alert?.id ?? '' }
  const { body } = await request(on.acknowledge, { params })
  t.match(body, { status: 'acknowledged', acknowledgedBy: caller.actor.userId })
  t.same(await takeNotifications(), ['acknowledged Ana Bob'])
  kit.clock.advance(60 * MINUTE_MS)
  await escalate()
  t.same(await takeNotifications(), [])
})

t.test('two concurrent replicas run a step once', async (t) => {
  const { bob, schedule, component, reportDown, takeNotifications, escalate } =
    await oncallScenario(kit)
  const later = { delayMinutes: 1, targets: [`user:${bob.userId}`] }
  await schedule({ escalation: [{ delayMinutes: 0, targets: ['schedule'] }, later] })
  await reportDown(await component('API'))
  kit.clock.advance(MINUTE_MS)
  await Promise.all([escalate(), escalate(), escalate()])
  t.same(await takeNotifications(), ['triggered Ana', 'escalated Bob'])
})

t.test('a delayed first step notifies no user before its time', async (t) => {
  const { schedule, component, reportDown, takeNotifications, escalate } = await oncallScenario(kit)
  await schedule({ escalation: [{ delayMinutes: 5, targets: ['schedule'] }] })
  await reportDown(await component('API'))
  await escalate()
  t.same(await takeNotifications(), ['triggered'])
  kit.clock.advance(5 * MINUTE_MS)
  await escalate()
  t.same(await takeNotifications(), ['escalated Ana'])
})

t.test('channels of completed steps get later events, removed channels get none', async (t) => {
  const {
    organizationId,
    schedule,
    component,
    reportDown,
    reportRecovered,
    takeNotifications,
    escalate,
  } = await oncallScenario(kit)
  const [ops, chat, late] = [newId(), newId(), newId()]
  const created = [ops, chat, late].map(channelAdded)
  await kit.publishAndHandle('notifier', organizationId, ...created)
  await schedule({
    escalation: [
      { delayMinutes: 0, targets: ['schedule', `channel:${ops}`] },
      { delayMinutes: 5, targets: [`channel:${chat}`] },
      { delayMinutes: 60, targets: [`channel:${late}`] },
    ],
  })
  const id = await component('API')
  await reportDown(id)
  t.same(await takeNotifications(), [`triggered Ana ${ops}`])
  kit.clock.advance(5 * MINUTE_MS)
  await escalate()
  t.same(await takeNotifications(), [`escalated ${chat}`])
  await kit.publishAndHandle('notifier', organizationId, channelRemoved(ops))
  await reportRecovered(id)
  t.same(await takeNotifications(), [`resolved Ana ${chat}`])
})

t.test('a step without recipients is skipped for the next one at once', async (t) => {
  const {
    ana,
    bob,
    schedule,
    component,
    reportDown,
    alerts,
    takeNotifications,
    publishMemberEvents,
  } = await oncallScenario(kit)
  const later = [{ delayMinutes: 0, targets: ['schedule'] }]
  await schedule({
    escalation: [...later, { delayMinutes: 60, targets: [`user:${bob.userId}`] }],
  })
  const empty = await schedule({ name: 'Second', escalation: later })
  await publishMemberEvents(memberLeft(ana))
  await reportDown(await component('API'))
  t.same((await takeNotifications()).sort(), ['triggered', 'triggered Bob'])
  t.match(await alerts({ scheduleId: empty.id }), [
    { noResponder: true, assignedUserIds: [], escalationLevel: 0 },
  ])
  t.match(
    (await alerts()).filter(({ scheduleId }: { scheduleId: string }) => scheduleId !== empty.id),
    [{ noResponder: true, assignedUserIds: [bob.userId], escalationLevel: 1 }],
  )
})

t.test('open alerts follow a changed escalation, and stop with their schedule', async (t) => {
  const { bob, request, schedule, component, reportDown, takeNotifications, escalate } =
    await oncallScenario(kit)
  const { id } = await schedule()
  await reportDown(await component('API'))
  await takeNotifications()
  const first = { delayMinutes: 0, targets: ['schedule'] }
  const second = { delayMinutes: 10, targets: [`user:${bob.userId}`] }
  const third = { delayMinutes: 20, targets: ['schedule'] }
  const change = (body: object) =>
    request(oncallScheduleOperations.update, { params: { id }, body })
  await change({ escalation: [first, second, third] })
  kit.clock.advance(10 * MINUTE_MS)
  await escalate()
  t.same(await takeNotifications(), ['escalated Bob'])
  await change({ isEnabled: false })
  kit.clock.advance(10 * MINUTE_MS)
  await escalate()
  t.same(await takeNotifications(), [])
  await change({ isEnabled: true })
  await escalate()
  t.same(await takeNotifications(), ['escalated Ana'])
  await request(oncallScheduleOperations.remove, { params: { id } })
  await escalate()
  t.same(await takeNotifications(), [])
})

t.test('a user who joins while an alert is open is notified by its later steps', async (t) => {
  const {
    request,
    schedule,
    component,
    reportDown,
    takeNotifications,
    escalate,
    publishMemberEvents,
  } = await oncallScenario(kit)
  const { id } = await schedule()
  await reportDown(await component('API'))
  const cem = person('Cem')
  await publishMemberEvents(memberJoined(cem))
  const escalation = [
    { delayMinutes: 0, targets: ['schedule'] },
    { delayMinutes: 5, targets: [`user:${cem.userId}`] },
  ]
  await request(oncallScheduleOperations.update, { params: { id }, body: { escalation } })
  kit.clock.advance(5 * MINUTE_MS)
  await takeNotifications()
  await escalate()
  t.same(await takeNotifications(), ['escalated Cem'])
})
