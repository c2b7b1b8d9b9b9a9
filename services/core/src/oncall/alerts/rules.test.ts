/** Rules of escalation: which step an alert takes and its recipients, without a database. */
import type { EscalationStep, IncidentEventData } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import type { OncallAlertRow, OncallScheduleRow } from '../../tables.ts'
import {
  type AlertCause,
  causeOfIncident,
  createAlert,
  type Recipients,
  rescheduleEscalation,
  runEscalationStep,
} from './rules.ts'

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
  details: null,
  url: null,
  since: now,
  scopeIds: [],
}

const raised = (escalation: EscalationStep[]): OncallAlertRow => {
  const schedule = { id: newId(), organizationId: newId(), name: 'Primary', escalation }
  return createAlert(cause, schedule as OncallScheduleRow, { id: newId(), now })
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
    recipients: string[],
    level: number,
    due: number,
  ][] = [
    ['one step', [step(0, 'ana')], ['ana'], 0, -1],
    ['another later', [step(0, 'ana'), step(15, 'bob')], ['ana'], 0, 15],
    ['no recipient first', [step(0, 'gone'), step(15, 'bob')], ['bob'], 1, -1],
    ['no recipient twice', [step(0, 'gone'), step(5, 'gone'), step(9, 'ana')], ['ana'], 2, -1],
    [
      'no recipient, then two steps',
      [step(0, 'gone'), step(5, 'ana'), step(9, 'bob')],
      ['ana'],
      1,
      9,
    ],
    ['no recipient at all', [step(0, 'gone'), step(5, 'gone')], [], 1, -1],
    ['a channel alone', [step(0, 'channel'), step(5, 'ana')], ['channel'], 0, 5],
  ]
  for (const [name, steps, recipients, level, due] of cases) {
    const result = runEscalationStep(raised(steps), steps, recipientsOf, now)
    const { userIds, channelIds } = result?.recipients ?? { userIds: [], channelIds: [] }
    t.same([...userIds, ...channelIds], recipients, name)
    t.equal(result?.alert.escalationLevel, level, name)
    t.same(result?.alert.dueAt, due === -1 ? null : after(due), name)
    t.equal(result?.alert.noResponder, name.startsWith('no recipient'), name)
  }
})

t.test('no step runs before its time, nor after the last', async (t) => {
  const steps = [step(5, 'ana')]
  const row = raised(steps)
  t.equal(runEscalationStep(row, steps, recipientsOf, after(4)), null)
  const result = runEscalationStep(row, steps, recipientsOf, after(5))
  t.same(result?.recipients.userIds, ['ana'])
  t.equal(runEscalationStep(result?.alert as OncallAlertRow, steps, recipientsOf, after(60)), null)
})

t.test('with a changed escalation completed steps are not repeated', async (t) => {
  const steps = [step(0, 'ana')]
  const fresh = raised([step(3, 'ana')])
  const { alert } = runEscalationStep(raised(steps), steps, recipientsOf, now) ?? { alert: fresh }
  t.same(rescheduleEscalation(alert, [step(0, 'bob'), step(7, 'bob')]), {
    nextStep: 1,
    dueAt: after(7),
  })
  t.same(rescheduleEscalation(alert, steps), { nextStep: null, dueAt: null })
  t.same(rescheduleEscalation(fresh, [step(1, 'bob')]), { nextStep: 0, dueAt: after(1) })
  t.same(rescheduleEscalation(fresh, []), { nextStep: null, dueAt: null })
})

t.test('the reason of an alert is the text of the message without marks', async (t) => {
  const incident: IncidentEventData = {
    id: newId(),
    title: 'API is down',
    status: 'investigating',
    impact: 'critical',
    message: '**Logins** fail, see [log](https://log.example)',
    components: [],
    startedAt: now.toISOString(),
    resolvedAt: null,
    url: null,
    statusPageIds: [],
    notifySubscribers: true,
  }
  t.equal(causeOfIncident(incident)?.reason, 'Logins fail, see log (https://log.example)')
  t.equal(causeOfIncident({ ...incident, message: `**${'a'.repeat(600)}**` })?.reason?.length, 500)
})
