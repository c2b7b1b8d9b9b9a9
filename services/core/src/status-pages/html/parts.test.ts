/** Building blocks of pages: metrics and bars with text alternatives. */
import {
  type MetricRange,
  type PublicComponent,
  type PublicMetric,
  prefersMarkdown,
} from '@status-page/contracts'
import t from 'tap'
import { pageLanguage } from '../page-language.ts'
import { uptimeBars } from './documents/bars.ts'
import { componentList } from './documents/components.ts'
import { metricList } from './documents/metrics.ts'

const english = pageLanguage('en', 'UTC')
const urls = { path: (part: string) => `/status/acme${part}`, image: (url: string) => url }

t.test('bars have a text alternative, and a link for each day with an incident', async (t) => {
  const bars = {
    componentId: 'c1',
    uptimePercentage: 99.95,
    since: null,
    days: [
      { date: '2026-08-01', status: 'no_data' as const, downtimeSeconds: 0 },
      { date: '2026-08-02', status: 'partial_outage' as const, downtimeSeconds: 540 },
      { date: '2026-08-03', status: 'operational' as const, downtimeSeconds: 0 },
      { date: '2026-08-04', status: 'major_outage' as const, downtimeSeconds: 7_200 },
    ],
  }
  const linkOf = (date: string) => `/uptime#${date}`
  const created = uptimeBars(bars, english, linkOf).toString()
  t.match(
    created,
    'aria-label="4 days. Days with incidents: 2. Aug 4: Major outage, 2 hr downtime; Aug 2: Partial outage, 9 min downtime"',
  )
  t.match(
    created,
    '<a href="/uptime#2026-08-02"><title>Aug 2: Partial outage, 9 min downtime</title><path class="part"',
  )
  t.equal(created.match(/<a /g)?.length, 2)
  t.match(created, '99.95% uptime')
  const unmeasured = uptimeBars({ ...bars, uptimePercentage: null }, english, linkOf).toString()
  t.match(unmeasured, '<p class="f">No data</p>')
  t.notMatch(created, 'class="pre"')
  const young = { ...bars, since: '2026-08-02T23:30:00.000Z' }
  const since = uptimeBars(young, pageLanguage('en', 'Europe/Berlin'), linkOf).toString()
  t.match(since, '<br>Since Aug 3, 2026</p>', 'in the time zone of the page')
  t.match(since, '<path class="pre" d="M2.5 2v16m0-16m5 0v16m0-16"/>', 'two days before it')
  t.match(since, 'aria-label="Since Aug 3, 2026. Days with incidents: 2.')
})

const componentOf = (name: string, fields: object = {}): PublicComponent => ({
  id: name,
  name,
  description: null,
  status: 'operational',
  causedBy: null,
  parentComponentId: null,
  groupName: null,
  order: 0,
  icon: null,
  uptimePercentage: null,
  vendorReport: null,
  uptimeSince: null,
  uptimeDays: null,
  ...fields,
})

const groupOf = (groupName: string | null, count: number, ...affected: PublicComponent[]) => [
  ...Array.from({ length: count }, (_, index) =>
    componentOf(`${groupName} ${index}`, { groupName }),
  ),
  ...affected.map((one) => ({ ...one, groupName })),
]

const listOf = (...components: PublicComponent[]) =>
  componentList(components, { urls, language: english })?.toString() ?? ''

t.test('affected groups and components come first, with their number', async (t) => {
  const created = listOf(
    ...groupOf('Fine', 2),
    ...groupOf('Slow', 2, componentOf('Search', { status: 'degraded_performance' })),
    ...groupOf(
      'Down',
      1,
      componentOf('Exports', { status: 'partial_outage' }),
      componentOf('Checkout', { status: 'major_outage' }),
    ),
  )
  const names = [...created.matchAll(/<(?:h3|strong)>([^<]+)</g)].map(([, name]) => name)
  t.same(names, [
    'Down',
    'Checkout',
    'Exports',
    'Down 0',
    'Slow',
    'Search',
    'Slow 0',
    'Slow 1',
    'Fine',
    'Fine 0',
    'Fine 1',
  ])
  t.match(created, '2 of 3 affected')
  t.match(created, '1 of 3 affected')
  t.match(created, '<details class="card grp" open data-fold="Down">')
  t.match(
    created,
    '<details class="card grp" open data-phone data-fold="Fine">',
    'folded on phones',
  )
  t.notMatch(created, 'class="rest"')
})

t.test('above twelve components, operational ones are folded', async (t) => {
  const down = componentOf('Checkout', { status: 'major_outage' })
  const grouped = listOf(...groupOf('Fine', 10), ...groupOf('Down', 3, down))
  t.match(grouped, '<details class="card grp" data-fold="Fine">')
  t.match(grouped, /data-fold="Down rest"><summary>.*Operational: 3<\/summary>/)
  t.ok(grouped.indexOf('Checkout') < grouped.indexOf('Down 0'))
  const flat = listOf(...groupOf(null, 12, down))
  t.match(flat, /class="rest"[^>]*><summary>.*Operational: 12<\/summary>/)
  t.notMatch(listOf(...groupOf(null, 11, down)), 'class="rest"')
})

t.test('a parent shows how many of its subcomponents are affected', async (t) => {
  const parent = componentOf('Shop', { status: 'major_outage' })
  const below = (...members: PublicComponent[]) =>
    listOf(parent, ...members.map((one) => ({ ...one, parentComponentId: parent.id })))
  const search = componentOf('Search')
  const checkout = componentOf('Checkout', { status: 'major_outage' })
  t.match(below(search, checkout), '<summary>1 of 2 affected</summary>')
  t.match(below(search), '<summary>Subcomponents: 1</summary>')
})

t.test('above twelve affected components, subcomponents are folded on phones', async (t) => {
  const parent = componentOf('Shop', { status: 'major_outage' })
  const below = (count: number) =>
    listOf(
      parent,
      ...Array.from({ length: count }, (_, index) =>
        componentOf(`Part ${index}`, { status: 'major_outage', parentComponentId: parent.id }),
      ),
    )
  t.match(below(12), '<details open data-phone data-fold="Shop">')
  t.match(below(11), '<details open data-fold="Shop">')
})

t.test('above twelve components, operational subcomponents of a parent are folded', async (t) => {
  const parent = componentOf('Shop', { status: 'major_outage' })
  const below = (count: number) => [
    parent,
    ...[...groupOf(null, count), componentOf('Checkout', { status: 'major_outage' })].map(
      (one) => ({ ...one, parentComponentId: parent.id }),
    ),
  ]
  const long = listOf(...below(11))
  t.match(long, new RegExp(`data-fold="${parent.id} rest"><summary>.*Operational: 11</summary>`))
  t.ok(long.indexOf('Checkout') < long.indexOf('class="rest"'))
  t.notMatch(listOf(...below(10)), 'class="rest"')
})

const listOfMetrics = (
  metrics: PublicMetric[],
  language = english,
  metricRange = 'day' as MetricRange,
) => metricList({ status: { metrics }, metricRange }, { urls, language })?.toString() ?? ''

const latency = (...points: readonly (readonly [time: string, value: number])[]) => ({
  id: 'q1',
  name: '<Latency>',
  unit: 'ms',
  decimalPlaces: 1,
  lastValue: 120,
  lastValueAt: '2026-08-01T09:30:00.000Z',
  points: points.map(([time, value]) => ({ timestamp: `2026-08-01T${time}:00.000Z`, value })),
})

t.test('a metric has a value with its unit, and its line has a text alternative', async (t) => {
  const metric = latency(['09:00', 90], ['09:15', 105], ['09:30', 120])
  const created = listOfMetrics([metric])
  t.match(created, '<strong>120.0 ms</strong>')
  t.match(created, 'aria-label="&lt;Latency&gt;: Min: 90.0 ms, Max: 120.0 ms"')
  t.match(created, '<span>Min: 90.0 ms</span><span>Max: 120.0 ms</span>')
  t.match(created, 'd="M0.0 38.0L120.0 20.0L240.0 2.0"')
  t.match(listOfMetrics([metric], pageLanguage('ar', 'UTC')), 'الأدنى: ')
  t.match(listOfMetrics([{ ...metric, lastValue: null, points: [] }]), 'No data')
  t.equal(listOfMetrics([]), '')
})

t.test('the line of a metric is interrupted where there are no values', async (t) => {
  const metric = latency(['06:00', 5], ['06:15', 5], ['11:00', 5], ['11:15', 5])
  const created = listOfMetrics([metric])
  t.match(created, 'd="M0.0 38.0L11.4 38.0M228.6 38.0L240.0 38.0"')
  t.notMatch(created, 'Max: ', 'a constant value has one bound')
  const month = listOfMetrics([metric], english, 'month')
  t.match(month, 'd="M0.0 38.0L11.4 38.0L228.6 38.0L240.0 38.0"', 'means of 8 hours')
  t.match(month, 'href="/status/acme?metricRange=month#metrics" aria-current="true">Month</a>')
})

t.test('Markdown is sent to clients that prefer it', async (t) => {
  for (const accept of [
    'text/markdown',
    'text/markdown, text/html',
    'text/html;q=0.5,text/markdown;q=0.9',
  ]) {
    t.ok(prefersMarkdown(accept), accept)
  }
  for (const accept of [
    undefined,
    '*/*',
    'text/html,*/*',
    'text/markdown;q=0',
    'text/html, text/markdown;q=0.5',
  ]) {
    t.notOk(prefersMarkdown(accept), String(accept))
  }
})
