/** Values of the form of a maintenance. */
import { maintenanceOptions } from '@status-page/contracts'
import t from 'tap'
import { maintenance } from '../texts/en/maintenance.ts'
import {
  errorAt,
  isEditable,
  monthDateOf,
  newValues,
  optionLabel,
  shownErrors,
  withStart,
} from './draft.ts'
import type { MaintenanceData } from './queries.ts'

t.test('a new maintenance lasts an hour, tomorrow at 22:00 of the zone', async (t) => {
  const values = newValues('Asia/Tokyo')
  t.match(values.scheduledFor, /T13:00:00.000Z$/)
  t.equal(Date.parse(values.scheduledUntil) - Date.parse(values.scheduledFor), 3_600_000)
  t.ok(Date.parse(values.scheduledFor) > Date.now())
})

t.test('a new maintenance has the defaults of the contract', async (t) => {
  const values = newValues('UTC')
  for (const [name, { default: value }] of Object.entries(maintenanceOptions)) {
    t.same(values[name as keyof typeof maintenanceOptions], value, name)
  }
})

t.test('an option without a text has its identifier as label', async (t) => {
  t.equal(optionLabel('notifySubscribers', maintenance.form), 'Notify subscribers')
  t.equal(optionLabel('riskLevel', maintenance.form), 'Risk level')
})

t.test('another start retains the length', async (t) => {
  const times = {
    ...newValues('UTC'),
    scheduledFor: '2027-01-01T10:00:00.000Z',
    scheduledUntil: '2027-01-01T12:30:00.000Z',
  }
  t.same(withStart(times, '2027-02-01T00:00:00.000Z'), {
    scheduledFor: '2027-02-01T00:00:00.000Z',
    scheduledUntil: '2027-02-01T02:30:00.000Z',
  })
})

t.test('the date of a time is that of its zone', async (t) => {
  const iso = '2027-03-09T22:00:00.000Z'
  t.same(monthDateOf(iso, 'UTC'), { day: 9, daysInMonth: 31, weekday: 'TU' })
  t.same(monthDateOf(iso, 'Asia/Tokyo'), { day: 10, daysInMonth: 31, weekday: 'WE' })
})

t.test('the status limits the fields that can change', async (t) => {
  const on = (more: object) =>
    ({ recurrence: null, recurrenceOf: null, ...more }) as MaintenanceData
  t.ok(isEditable(null, 'recurrence'))
  t.ok(isEditable(on({ status: 'scheduled' }), 'scheduledFor'))
  t.notOk(isEditable(on({ status: 'in_progress' }), 'scheduledFor'))
  t.ok(isEditable(on({ status: 'in_progress' }), 'scheduledUntil'))
  t.notOk(isEditable(on({ status: 'scheduled', recurrenceOf: 'first' }), 'recurrence'))
  t.notOk(isEditable(on({ status: 'completed' }), 'recurrence'))
  t.ok(isEditable(on({ status: 'completed', recurrence: {} }), 'recurrence'))
  t.notOk(isEditable(on({ status: 'cancelled' }), 'componentIds'))
  t.ok(isEditable(on({ status: 'cancelled' }), 'title'))
})

t.test('an error of a part of a field is shown at the field', async (t) => {
  const errors = { 'recurrence.rrule': 'Invalid', version: 'Unknown' }
  t.equal(errorAt(errors, 'recurrence'), 'Invalid')
  t.equal(errorAt(errors, 'title'), undefined)
  t.same(shownErrors(errors), ['recurrence.rrule'])
})
