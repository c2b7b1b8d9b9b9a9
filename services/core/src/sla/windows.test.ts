/** Windows in the local time of a zone, table by table. */
import t from 'tap'
import { presentWindow, type SlaWindow } from './windows.ts'

const HOUR_MS = 3_600_000

const cases: [name: string, SlaWindow, now: string, from: string, to: string][] = [
  [
    'a rolling window ends now and has days of 24 hours',
    { windowType: 'rolling', windowDays: 30, timezone: 'Europe/Berlin' },
    '2026-04-10T12:34:56.789Z',
    '2026-03-11T12:34:56.789Z',
    '2026-04-10T12:34:56.789Z',
  ],
  [
    'a month is that of the zone',
    { windowType: 'calendar_month', windowDays: 30, timezone: 'Asia/Tokyo' },
    '2026-07-31T20:00:00.000Z',
    '2026-07-31T15:00:00.000Z',
    '2026-08-31T15:00:00.000Z',
  ],
  [
    'a quarter begins in January, April, July, October',
    { windowType: 'calendar_quarter', windowDays: 30, timezone: 'UTC' },
    '2026-12-31T23:59:59.999Z',
    '2026-10-01T00:00:00.000Z',
    '2027-01-01T00:00:00.000Z',
  ],
  [
    'the first moment belongs to the new month',
    { windowType: 'calendar_month', windowDays: 30, timezone: 'UTC' },
    '2026-03-01T00:00:00.000Z',
    '2026-03-01T00:00:00.000Z',
    '2026-04-01T00:00:00.000Z',
  ],
] as never

for (const [name, window, now, from, to] of cases) {
  t.test(name, async (t) => {
    const span = presentWindow(window, new Date(now))
    t.same(
      [span.from, span.to].map((time) => new Date(time).toISOString()),
      [from, to],
    )
  })
}

t.test('a month with a clock change is an hour shorter or longer', async (t) => {
  const hours = (now: string) => {
    const window = { windowType: 'calendar_month' as const, windowDays: 30 }
    const span = presentWindow({ ...window, timezone: 'Europe/Berlin' }, new Date(now))
    return (span.to - span.from) / HOUR_MS
  }
  t.equal(hours('2026-03-15T12:00:00Z'), 31 * 24 - 1)
  t.equal(hours('2026-10-15T12:00:00Z'), 31 * 24 + 1)
  t.equal(hours('2026-08-15T12:00:00Z'), 31 * 24)
})
