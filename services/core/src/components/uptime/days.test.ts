import t from 'tap'
import { daysInSpan, lastCalendarDays } from './days.ts'

const HOUR = 3_600_000

t.test('days are consecutive up to the end of today', async (t) => {
  const days = lastCalendarDays(3, 'UTC', new Date('2026-08-01T23:30:00Z'))
  t.same(
    days.map(({ date }) => date),
    ['2026-07-30', '2026-07-31', '2026-08-01'],
  )
  t.equal(days[0]?.to, days[1]?.from)
  t.equal(days[2]?.to, Date.parse('2026-08-02T00:00:00Z'))
})

t.test('today is computed in the time zone of the page', async (t) => {
  const [today] = lastCalendarDays(1, 'Asia/Tokyo', new Date('2026-08-01T23:30:00Z'))
  t.equal(today?.date, '2026-08-02')
})

t.test('a day on which the clock changes has 23 or 25 hours', async (t) => {
  const hours = (date: string) => {
    const [day] = lastCalendarDays(1, 'Europe/Berlin', new Date(`${date}T12:00:00Z`))
    return ((day?.to ?? 0) - (day?.from ?? 0)) / HOUR
  }
  t.same([hours('2026-03-29'), hours('2026-10-25'), hours('2026-08-01')], [23, 25, 24])
})

t.test('the days of a period are clipped to it and consecutive', async (t) => {
  const from = Date.parse('2026-03-28T12:00:00Z')
  const to = Date.parse('2026-03-30T12:00:00Z')
  const days = daysInSpan({ from, to }, 'Europe/Berlin')
  t.same(
    days.map((day) => [day.date, (day.to - day.from) / HOUR]),
    [
      ['2026-03-28', 11],
      ['2026-03-29', 23],
      ['2026-03-30', 14],
    ],
  )
  t.same([days[0]?.from, days[2]?.to], [from, to])
  t.same(daysInSpan({ from, to: from }, 'UTC'), [])
})
