/**
 * On-call members receive one mail per escalation step about a failing endpoint, also when core is
 * killed.
 */
import {
  componentOperations,
  type OncallAlert,
  oncallAlertOperations,
  oncallScheduleOperations,
} from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import t from 'tap'
import { assertIdle } from './kit/delivery-ledger.ts'
import { switchableTarget } from './kit/receivers.ts'
import { register } from './kit/tenant.ts'
import { restartWithFault, reviveAfterFault, startWorld } from './kit/world.ts'

/** A check interval of ten seconds, up to a timeout, and event handling. */
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
/** Subjects of alert mails; excludes the verification mail of the registration. */
const subjects = () =>
  world.smtp.mails
    .filter(({ to }) => to.includes(email))
    .map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? '')
    .filter((subject) => subject !== 'Verify your email address')
const waitForMail = (subject: RegExp) =>
  eventually(() => subjects().find((one) => subject.test(one)), { timeoutMs: 30_000 })

t.test('a user who has just registered can be on call', async (t) => {
  t.match(schedule.onCallNow, [{ userId: identity.user.id, userName: 'Olga Owner', until: null }])
})

t.test('a failing endpoint notifies the member on call once', async (t) => {
  await eventually(() => target.requestCount > 0, { timeoutMs: 20_000 })
  await target.stop()
  const alert = await eventually(() => theAlert('triggered'), { timeoutMs: NOTICED_WITHIN_MS })
  t.match(alert, { componentId: component.id, scheduleId: schedule.id, severity: 'critical' })
  t.ok(await waitForMail(/\[CRITICAL\] Checkout is down/))
})

t.test(
  'an alert acknowledged by the notified member names that member and sends no other message',
  async (t) => {
    const { id } = (await theAlert('triggered')) as OncallAlert
    const taken = await session.call(oncallAlertOperations.acknowledge, { params: { id } })
    t.match(taken, { status: 'acknowledged', acknowledgedBy: identity.user.id })
    await target.start()
    await eventually(() => theAlert('resolved'), { timeoutMs: NOTICED_WITHIN_MS })
    t.ok(await waitForMail(/\[Resolved\] Checkout is down/))
    t.equal(subjects().length, 2)
  },
)

t.test(
  'core is killed while it raises an alert: the alert is raised after the restart, with ' +
    'one message',
  async (t) => {
    await restartWithFault(world, 'core', 'react.after_receive')
    await target.stop()
    await reviveAfterFault(world, 'core')
    await eventually(() => theAlert('triggered'), { timeoutMs: NOTICED_WITHIN_MS })
    await eventually(() => subjects().length === 3, { timeoutMs: 30_000 })
    await restartWithFault(world, 'core', 'react.after_commit')
    await target.start()
    await reviveAfterFault(world, 'core')
    await eventually(() => subjects().length === 4, { timeoutMs: 60_000 })
    await assertIdle(t, world)
    t.match(subjects(), [/CRITICAL/, /Resolved/, /CRITICAL/, /Resolved/])
    t.equal((await alertsOf('resolved')).length, 2)
  },
)
