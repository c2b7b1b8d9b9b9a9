/** Series of graphs: common times, gaps, and tables of limited size. */
import t from 'tap'
import {
  isolatedOf,
  type ResponseTimeData,
  responseTimeSeries,
  rowsOf,
  summaryOf,
  valueSeries,
  valueSummaryOf,
  withTimeRange,
} from './series.ts'

const labels = { average: 'Mean', p95: 'P95' }
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString()
const point = (minutes: number, average: number | null, location = 'default') => ({
  timestamp: at(minutes),
  location,
  checks: 5,
  successes: average === null ? 0 : 5,
  average,
  p50: average,
  p95: average === null ? null : average * 2,
  p99: average,
})
const reply = (...points: ReturnType<typeof point>[]): ResponseTimeData => ({
  componentId: 'c',
  from: at(0),
  to: at(60),
  resolution: 300,
  points,
})

t.test('a pause between points is a gap', async (t) => {
  const chart = responseTimeSeries(reply(point(0, 100), point(5, null), point(15, 300)), labels)
  t.equal(chart.times.length, 4)
  t.same(chart.series, [
    { label: 'Mean', values: [100, null, null, 300] },
    { label: 'P95', values: [200, null, null, 600] },
  ])
})

t.test('values without neighbours are found, because a line does not show them', async (t) => {
  t.same(isolatedOf([1, null, 2, null, 3, 4, null, 5]), [0, 2, 7])
  t.same(isolatedOf([1]), [0])
  t.same(isolatedOf([null, 1, 2]), [])
})

t.test('several locations have a line each', async (t) => {
  const chart = responseTimeSeries(reply(point(0, 1, 'eu'), point(0, 2, 'us')), labels)
  t.same(chart, {
    times: [Date.parse(at(0)) / 1000],
    series: [
      { label: 'eu', values: [1] },
      { label: 'us', values: [2] },
    ],
  })
})

t.test('without points there are no times and no summary', async (t) => {
  t.same(responseTimeSeries(reply(), labels), { times: [], series: [] })
  t.equal(summaryOf(reply(point(0, null))), null)
})

t.test('the summary weighs each point by its successful checks', async (t) => {
  const slow = { ...point(5, 200), successes: 15 }
  t.same(summaryOf(reply(point(0, 100), slow)), { average: 175, p95: 400 })
})

t.test('a table has a limited number of rows, with means', async (t) => {
  const chart = { times: [0, 1, 2, 3, 4], series: [{ label: 'a', values: [1, 3, null, null, 5] }] }
  t.same(rowsOf(chart, 3), [
    { time: 0, values: [2] },
    { time: 4, values: [5] },
  ])
})

const values = (minutes: number, average: number | null, spread = 0) => ({
  timestamp: at(minutes),
  polls: 5,
  values: average === null ? 0 : 5,
  average,
  minimum: average === null ? null : average - spread,
  maximum: average === null ? null : average + spread,
})

t.test('values of a metric have gaps, thresholds are lines over the whole time', async (t) => {
  const data = { resolution: 300, points: [values(0, 1), values(10, 2)] }
  const thresholds = [
    { threshold: 'warning', label: 'Warning', value: null },
    { threshold: 'critical', label: 'Critical', value: 5 },
  ] as const
  t.match(valueSeries(data, 'Value', thresholds).series, [
    { label: 'Value', values: [1, null, 2] },
    { label: 'Critical', values: [5, 5, 5], threshold: 'critical' },
  ])
})

t.test('a single point is displayed within an hour', async (t) => {
  const series = [
    { label: 'Value', values: [1] },
    { label: 'Critical', values: [5], threshold: 'critical' as const },
  ]
  t.match(withTimeRange({ times: [7_200], series }), {
    times: [5_400, 7_200, 9_000],
    series: [{ values: [null, 1, null] }, { values: [5, 5, 5] }],
  })
})

t.test('the summary of values has their extremes and the latest mean', async (t) => {
  const points = [values(0, 10, 9), values(5, 20, 1), values(10, null)]
  t.same(valueSummaryOf({ points }), { minimum: 1, maximum: 21, latest: 20 })
  t.equal(valueSummaryOf({ points: [values(0, null)] }), null)
})
