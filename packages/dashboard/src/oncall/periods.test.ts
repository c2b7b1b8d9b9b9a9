/** Days of calendars, also where clocks change. */
import t from 'tap'
import { daysOf, snapped } from './periods.ts'

const HOUR_MS = 3_600_000
const iso = (instant: number) => new Date(instant).toISOString()

t.test('two weeks begin on a Monday and have days of local length', async (t) => {
  const now = Date.parse('2026-03-25T12:00:00Z')
  const days = daysOf({ period: 'weeks', offset: 0 }, now, 'Europe/Berlin')
  t.equal(days.length, 15)
  t.equal(iso(days[0] ?? 0), '2026-03-22T23:00:00.000Z')
  t.equal(iso(days[14] ?? 0), '2026-04-05T22:00:00.000Z')
  t.equal(((days[7] ?? 0) - (days[6] ?? 0)) / HOUR_MS, 23, 'the clocks change on this Sunday')
  const next = daysOf({ period: 'weeks', offset: 1 }, now, 'Europe/Berlin')
  t.equal(next[0], days[14])
})

t.test('a month has its days', async (t) => {
  const now = Date.parse('2026-01-31T23:30:00Z')
  const month = (offset: number, zone: string) => daysOf({ period: 'month', offset }, now, zone)
  t.equal(month(0, 'UTC').length, 32)
  t.equal(iso(month(0, 'Europe/Berlin')[0] ?? 0), '2026-01-31T23:00:00.000Z', 'February there')
  t.equal(iso(month(-1, 'UTC')[0] ?? 0), '2025-12-01T00:00:00.000Z')
})

t.test('times snap to local hours', async (t) => {
  const at = Date.parse('2026-07-01T04:20:00Z')
  t.equal(iso(snapped(at, HOUR_MS, 'UTC')), '2026-07-01T04:00:00.000Z')
  t.equal(iso(snapped(at, HOUR_MS, 'Asia/Kolkata')), '2026-07-01T04:30:00.000Z')
})
