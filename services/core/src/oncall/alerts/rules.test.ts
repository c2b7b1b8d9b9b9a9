/** Rules of escalation: which step an alert takes and its recipients, without a database. */
import type { EscalationStep } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import type { OncallAlertRow, OncallScheduleRow } from '../../tables.ts'
import { type AlertCause, escalate, type Recipients, raise, rescheduleSteps } from './rules.ts'

const now = new Date('2026-01-02T03:04:00.000Z')
const after = (minutes: number) => new Date(now.getTime() + minutes * 60_000)

const cause: AlertCause = {
  dedupKey: 'component:1',
  title: 'API is down',
  severity: 'critical',
  source: 'monitor',
  componentId: null,
  incidentId: null,
  reason: null,
  url: null,
  since: now,
  scopeIds: [],
}

const raised = (escalation: EscalationStep[]): OncallAlertRow => {
  const schedule = { id: newId(), organizationId: newId(), name: 'Primary', escalation }
  return raise(cause, schedule as OncallScheduleRow, { id: newId(), now })
}

/** Members are `ana` and `bob`; `gone` is not a member; every channel exists. */
const recipientsOf = (targets: readonly string[]): Recipients => ({
  userIds: targets.filter((one) => one === 'ana' || one === 'bob'),
  channelIds: targets.filter((one) => one === 'channel'),
})

const step = (delayMinutes: number, ...targets: string[]): EscalationStep => ({
  delayMinutes,
  targets,
})

t.test('the due step runs, the next one waits for its time', async (t) => {
  const cases: [
    name: string,
    steps: EscalationStep[],
    takeNotifications: string[],
    level: number,
    due: number,
  ][] = [
    ['one step', [step(0, 'ana')], ['ana'], 0, -1],
    ['another later', [step(0, 'ana'), step(15, 'bob')], ['ana'], 0, 15],
    ['nobody first', [step(0, 'gone'), step(15, 'bob')], ['bob'], 1, -1],
    ['nobody twice', [step(0, 'gone'), step(5, 'gone'), step(9, 'ana')], ['ana'], 2, -1],
    ['nobody, then two', [step(0, 'gone'), step(5, 'ana'), step(9, 'bob')], ['ana'], 1, 9],
    ['nobody at all', [step(0, 'gone'), step(5, 'gone')], [], 1, -1],
    ['a channel alone', [step(0, 'channel'), step(5, 'ana')], ['channel'], 0, 5],
  ]
  for (const [name, steps, takeNotifications, level, due] of cases) {
    const taken = escalate(raised(steps), steps, recipientsOf, now)
    const { userIds, channelIds } = taken?.recipients ?? { userIds: [], channelIds: [] }
    t.same([...userIds, ...channelIds], takeNotifications, name)
    t.equal(taken?.alert.escalationLevel, level, name)
    t.same(taken?.alert.dueAt, due === -1 ? null : after(due), name)
    t.equal(taken?.alert.noResponder, name.startsWith('nobody'), name)
  }
})

t.test('no step runs before its time, nor after the last', async (t) => {
  const steps = [step(5, 'ana')]
  const row = raised(steps)
  t.equal(escalate(row, steps, recipientsOf, after(4)), null)
  const taken = escalate(row, steps, recipientsOf, after(5))
  t.same(taken?.recipients.userIds, ['ana'])
  t.equal(escalate(taken?.alert as OncallAlertRow, steps, recipientsOf, after(60)), null)
})

t.test('with a changed escalation completed steps are not repeated', async (t) => {
  const steps = [step(0, 'ana')]
  const fresh = raised([step(3, 'ana')])
  const { alert } = escalate(raised(steps), steps, recipientsOf, now) ?? { alert: fresh }
  t.same(rescheduleSteps(alert, [step(0, 'bob'), step(7, 'bob')]), { nextStep: 1, dueAt: after(7) })
  t.same(rescheduleSteps(alert, steps), { nextStep: null, dueAt: null })
  t.same(rescheduleSteps(fresh, [step(1, 'bob')]), { nextStep: 0, dueAt: after(1) })
  t.same(rescheduleSteps(fresh, []), { nextStep: null, dueAt: null })
})
