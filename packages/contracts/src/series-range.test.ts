/** Range and width of the points of a series: defaults and limits. */
import t from 'tap'
import { presentSeriesRange, seriesRangeOf } from './series-range.ts'

const now = new Date('2026-08-10T12:00:00.000Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString()
const to = now.toISOString()

t.test('a range ends now, and its length determines the width of its points', async (t) => {
  t.same(presentSeriesRange(seriesRangeOf({}, now)), { from: daysAgo(1), to, resolution: 300 })
  const widths: [query: Parameters<typeof seriesRangeOf>[0], seconds: number][] = [
    [{ from: daysAgo(2) }, 300],
    [{ from: daysAgo(2.1) }, 3600],
    [{ from: daysAgo(2), resolution: '3600' }, 3600],
    [{ from: daysAgo(7), resolution: '300' }, 300],
    [{ from: daysAgo(366) }, 3600],
    [{ from: daysAgo(400), to: daysAgo(399) }, 300],
  ]
  for (const [query, seconds] of widths) {
    t.equal(seriesRangeOf(query, now).resolution, seconds, JSON.stringify(query))
  }
})

t.test('a range of too many points, or that ends before its start, is refused', async (t) => {
  for (const query of [
    { from: daysAgo(7.1), resolution: '300' },
    { from: daysAgo(367) },
    { from: daysAgo(1), to: daysAgo(2) },
  ]) {
    t.throws(() => seriesRangeOf(query, now), { message: /^from must/ }, JSON.stringify(query))
  }
})
