/** Uptime, compared with a model that counts the window second by second. */
import { type ComponentStatus, componentStatuses, statusesBySeverity } from '@status-page/contracts'
import fc from 'fast-check'
import t from 'tap'
import {
  type StatusInterval,
  uptimeByDay,
  uptimePercentage,
  worstStatusOverTime,
} from './uptime.ts'

const DAY = 86_400_000

const interval = (status: ComponentStatus, from: number, to: number | null): StatusInterval => ({
  status,
  startedAt: from,
  endedAt: to,
})

const cases: [name: string, StatusInterval[], number | null][] = [
  ['nothing but operation', [interval('operational', 0, null)], 100],
  ['an hour of major outage in a day', [interval('major_outage', 0, 3_600_000)], 95.83],
  ['partial outages count three tenths', [interval('partial_outage', 0, DAY)], 70],
  ['degraded is no downtime', [interval('degraded_performance', 0, DAY)], 100],
  ['maintenance is no downtime', [interval('under_maintenance', 0, DAY)], 100],
  ['rounded down, never up', [interval('major_outage', 0, 1)], 99.99],
  ['what lies outside of the window', [interval('major_outage', -DAY, 0)], 100],
  ['an outage that lasts', [interval('major_outage', DAY / 2, null)], 50],
]

for (const [name, intervals, expected] of cases) {
  t.test(name, async (t) => t.equal(uptimePercentage(intervals, { from: 0, to: DAY }), expected))
}

t.test('an empty window has no percentage', async (t) => {
  t.equal(uptimePercentage([], { from: 5, to: 5 }), null)
})

t.test('a day has its worst status, a day before the creation has no data', async (t) => {
  const days = [-1, 0, 1].map((day) => ({ date: `d${day}`, from: day * DAY, to: (day + 1) * DAY }))
  const intervals = [
    interval('operational', 0, 1000),
    interval('partial_outage', 1000, 11_000),
    interval('operational', 11_000, null),
  ]
  t.same(uptimeByDay(intervals, days, DAY + 1), [
    { date: 'd-1', status: 'no_data', downtimeSeconds: 0 },
    { date: 'd0', status: 'partial_outage', downtimeSeconds: 3 },
    { date: 'd1', status: 'operational', downtimeSeconds: 0 },
  ])
})

t.test('the bar of an ongoing outage changes once a minute, the status at once', async (t) => {
  const minute = 60_000
  const days = [{ date: 'd0', from: 0, to: DAY }]
  const intervals = [
    interval('operational', 0, minute + 5_000),
    interval('major_outage', minute + 5_000, null),
  ]
  const bar = (now: number) => uptimeByDay(intervals, days, now)[0]
  const at = (status: string, downtimeSeconds: number) => ({ date: 'd0', status, downtimeSeconds })
  t.same(bar(minute + 6_000), at('major_outage', 0))
  t.same(bar(2 * minute - 1), at('major_outage', 0))
  t.same(bar(2 * minute), at('major_outage', 55))
  t.same(bar(3 * minute - 1), at('major_outage', 55))
  t.same(bar(DAY + 1), at('major_outage', 86_400 - 65))
})

/** Gapless history of whole ticks; the last period has no end. */
const history = fc
  .array(fc.tuple(fc.constantFrom(...componentStatuses), fc.integer({ min: 1, max: 6 })), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => {
    let start = 0
    return parts.map(([status, length], index): StatusInterval => {
      const startedAt = start
      start += length
      return { status, startedAt, endedAt: index === parts.length - 1 ? null : start }
    })
  })

const at = (intervals: readonly StatusInterval[], tick: number) =>
  intervals.find(
    ({ startedAt, endedAt }) => startedAt <= tick && (endedAt === null || endedAt > tick),
  )?.status

t.test('the percentage equals that of counting ticks', async () => {
  fc.assert(
    fc.property(history, fc.nat(30), fc.integer({ min: 1, max: 30 }), (intervals, from, length) => {
      const ticks = Array.from({ length }, (_none, index) => at(intervals, from + index))
      const tenths = ticks.reduce(
        (sum, status) =>
          sum + (status === 'major_outage' ? 10 : status === 'partial_outage' ? 3 : 0),
        0,
      )
      const expected = Math.floor(((10 * length - tenths) * 10_000) / (10 * length)) / 100
      return uptimePercentage(intervals, { from, to: from + length }) === expected
    }),
  )
})

t.test('each tick of several histories has the worst status', async () => {
  fc.assert(
    fc.property(fc.array(history, { minLength: 1, maxLength: 4 }), (histories) => {
      const merged = worstStatusOverTime(histories)
      return Array.from({ length: 60 }, (_none, tick) => tick).every((tick) => {
        const statuses = histories.map((one) => at(one, tick))
        const worst = statusesBySeverity.find((status) => statuses.includes(status))
        return at(merged, tick) === worst
      })
    }),
  )
})
