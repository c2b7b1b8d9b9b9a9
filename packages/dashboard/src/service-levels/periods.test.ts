/** Ranges of the periods of a report. */
import t from 'tap'
import { initialPeriod, periodRange } from './periods.ts'

process.env.TZ = 'Asia/Tokyo'
const now = Date.parse('2027-03-10T10:20:00Z')

t.test('the present window has no range of its own', async (t) => {
  t.same(periodRange(initialPeriod(now), now), {})
})

t.test('a custom period begins with the local days of the last month', async (t) => {
  const morning = Date.parse('2027-03-10T23:30:00Z')
  t.match(initialPeriod(morning), { from: '2027-02-09', to: '2027-03-11' })
})

t.test('a number of days ends with the present hour', async (t) => {
  t.same(periodRange({ ...initialPeriod(now), kind: 'week' }, now), {
    from: '2027-03-03T11:00:00.000Z',
    to: '2027-03-10T11:00:00.000Z',
  })
})

t.test('the last day of a custom period is included', async (t) => {
  const { from, to } = periodRange({ kind: 'custom', from: '2027-01-01', to: '2027-01-01' }, now)
  t.equal(Date.parse(to ?? '') - Date.parse(from ?? ''), 86_400_000)
})
