/** Days of the calendar and the maintenances on them, over clock changes too. */
import { CalendarDate, parseDate } from '@internationalized/date'
import t from 'tap'
import { dayAfterKey, entriesByDay, rangeOf, stepDay, weeksOf, windowsOf } from './calendar-days.ts'
import type { MaintenanceData } from './queries.ts'

const day = new CalendarDate(2027, 3, 17)

t.test('a month has complete weeks, which begin as in the language', async (t) => {
  const german = weeksOf('month', day, 'de-DE')
  t.same(german[0]?.map(String)[0], '2027-03-01')
  t.same(german.at(-1)?.map(String).at(-1), '2027-04-04')
  t.equal(weeksOf('month', day, 'en-US')[0]?.map(String)[0], '2027-02-28')
  t.same(
    weeksOf('week', day, 'de-DE').map((week) => week.map(String)),
    [[15, 16, 17, 18, 19, 20, 21].map((date) => `2027-03-${date}`)],
  )
})

t.test('the range of a week with a clock change has 167 hours', async (t) => {
  const { from, to } = rangeOf(weeksOf('week', parseDate('2027-03-28'), 'de-DE'), 'Europe/Berlin')
  t.same([from, to], ['2027-03-21T23:00:00.000Z', '2027-03-28T22:00:00.000Z'])
})

const maintenanceAt = (id: string, from: string, until: string, status = 'scheduled') =>
  ({ id, title: id, status, scheduledFor: from, scheduledUntil: until }) as MaintenanceData

t.test('a maintenance is on each of its days; cancelled ones are on none', async (t) => {
  const windows = windowsOf(
    [
      maintenanceAt('night', '2027-03-16T22:30:00.000Z', '2027-03-17T00:00:00.000Z'),
      maintenanceAt('until midnight', '2027-03-16T20:00:00.000Z', '2027-03-16T23:00:00.000Z'),
      maintenanceAt('gone', '2027-03-16T20:00:00.000Z', '2027-03-16T23:00:00.000Z', 'cancelled'),
    ],
    [
      {
        recurrenceOf: 'night',
        title: 'next',
        scheduledFor: '2027-03-17T10:00:00.000Z',
        scheduledUntil: '2027-03-17T11:00:00.000Z',
      },
    ],
  )
  const days = [16, 17, 18].map((date) => new CalendarDate(2027, 3, date))
  const shown = [...entriesByDay(windows, days, 'Europe/Berlin')].map(([date, entries]) => [
    date,
    entries.map(({ title, isContinued }) => (isContinued ? `… ${title}` : title)),
  ])
  t.same(shown, [
    ['2027-03-16', ['until midnight', 'night']],
    ['2027-03-17', ['… night', 'next']],
    ['2027-03-18', []],
  ])
})

t.test('keys move by days, weeks and months, mirrored from right to left', async (t) => {
  const move = (key: string, isRightToLeft = false) =>
    dayAfterKey(key, day, { locale: 'de-DE', isRightToLeft })?.toString()
  t.same(
    ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp'].map((key) => move(key)),
    ['2027-03-18', '2027-03-16', '2027-03-24', '2027-03-10'],
  )
  t.equal(move('ArrowRight', true), '2027-03-16')
  t.same([move('Home'), move('End')], ['2027-03-15', '2027-03-21'])
  t.same([move('PageUp'), move('PageDown')], ['2027-02-17', '2027-04-17'])
  t.equal(move('a'), undefined)
  t.equal(stepDay('month', day, 1).toString(), '2027-04-01')
  t.equal(stepDay('week', day, -1).toString(), '2027-03-10')
})
