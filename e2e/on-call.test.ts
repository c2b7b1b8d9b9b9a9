/** Who is on call hears of a failing endpoint by mail, also where core dies over it; once a step. */
import {
  componentOperations,
  type OncallAlert,
  oncallAlertOperations,
  oncallScheduleOperations,
} from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import t from 'tap'
import { assertAtRest } from './kit/delivery-ledger.ts'
import { register } from './kit/journey.ts'
import { switchableTarget } from './kit/receivers.ts'
import { restartWithFault, reviveAfterFault, startWorld } from './kit/world.ts'

/** A check ten seconds apart up to a timeout, and the way through the services. */
const NOTICED_WITHIN_MS = 40_000

const world = await startWorld(t)
const target = await switchableTarget(t)
const { api, email, identity, session } = await register(world.api, 'on-call')
const schedule = await api.call(oncallScheduleOperations.create, {
  body: { name: 'Primary', timezone: 'Europe/Berlin', layers: [{ userIds: [identity.user.id] }] },
})
const component = await api.call(componentOperations.create, {
  body: {
    type: 'ENDPOINT',
    name: 'Checkout',
    url: target.url,
    checkInterval: 10,
    failureThreshold: 1,
    recoveryThreshold: 1,
  },
})

const alertsOf = async (status: OncallAlert['status']) =>
  (await api.call(oncallAlertOperations.list, { query: { status } })).data
const theAlert = async (status: OncallAlert['status']) => (await alertsOf(status))[0]
/** Subjects of mails about alerts; registration sends one that verifies the address. */
const subjects = () =>
  world.smtp.mails
    .filter(({ to }) => to.includes(email))
    .map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? '')
    .filter((subject) => subject !== 'Verify your email address')
const waitForMail = (subject: RegExp) =>
  eventually(() => subjects().find((one) => subject.test(one)), { timeoutMs: 30_000 })

t.test('who registered a moment ago may be on call, and is', async (t) => {
  t.match(schedule.onCallNow, [{ userId: identity.user.id, userName: 'Olga Owner', until: null }])
})

t.test('a failing endpoint wakes who is on call, once', async (t) => {
  await eventually(() => target.requestCount > 0, { timeoutMs: 20_000 })
  await target.stop()
  const alert = await eventually(() => theAlert('triggered'), { timeoutMs: NOTICED_WITHIN_MS })
  t.match(alert, { componentId: component.id, scheduleId: schedule.id, severity: 'critical' })
  t.ok(await waitForMail(/CRITICAL: Checkout is down/))
})

t.test('taken on by the one who was woken, it says by whom and tells nobody else', async (t) => {
  const { id } = (await theAlert('triggered')) as OncallAlert
  const taken = await session.call(oncallAlertOperations.acknowledge, { params: { id } })
  t.match(taken, { status: 'acknowledged', acknowledgedBy: identity.user.id })
  await target.start()
  await eventually(() => theAlert('resolved'), { timeoutMs: NOTICED_WITHIN_MS })
  t.ok(await waitForMail(/Resolved: Checkout is down/))
  t.equal(subjects().length, 2)
})

t.test('core killed over an alert: it is raised after the restart, and told once', async (t) => {
  await restartWithFault(world, 'core', 'react.after_receive')
  await target.stop()
  await reviveAfterFault(world, 'core')
  await eventually(() => theAlert('triggered'), { timeoutMs: NOTICED_WITHIN_MS })
  await eventually(() => subjects().length === 3, { timeoutMs: 30_000 })
  await restartWithFault(world, 'core', 'react.after_commit')
  await target.start()
  await reviveAfterFault(world, 'core')
  await eventually(() => subjects().length === 4, { timeoutMs: 60_000 })
  await assertAtRest(t, world.admin)
  t.match(subjects(), [/CRITICAL/, /Resolved/, /CRITICAL/, /Resolved/])
  t.equal((await alertsOf('resolved')).length, 2)
})
