/** Steps of an alert. */
import t from 'tap'
import { historyOf } from './escalation-history.ts'
import type { OnCallAlert } from './queries.ts'

const escalation = [0, 5, 15].map((delayMinutes) => ({ delayMinutes, targets: ['schedule'] }))

const states = (change: Partial<OnCallAlert>) => {
  const alert = {
    status: 'triggered',
    triggeredAt: '2026-01-01T10:00:00.000Z',
    escalationLevel: 0,
    assignedUserIds: ['ana'],
    noResponder: false,
    escalatesAt: '2026-01-01T10:05:00.000Z',
    ...change,
  } as OnCallAlert
  return historyOf(alert, escalation).map(({ at, state }) => `${at.slice(11, 16)} ${state}`)
}

t.test('steps are done, next or planned', async (t) => {
  t.same(states({}), ['10:00 done', '10:05 next', '10:15 planned'])
  t.same(states({ escalationLevel: 2, escalatesAt: null }), [
    '10:00 done',
    '10:05 done',
    '10:15 done',
  ])
  t.same(states({ assignedUserIds: [] }), ['10:00 next', '10:05 planned', '10:15 planned'])
})

t.test('an acknowledgement ends the escalation', async (t) => {
  const ended = ['10:00 done', '10:05 ended', '10:15 ended']
  t.same(states({ status: 'acknowledged', escalatesAt: null }), ended)
  t.same(states({ escalatesAt: null }), ended, 'the schedule was disabled')
})
