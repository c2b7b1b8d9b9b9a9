/** Building blocks of pages: metrics and bars with text alternatives. */
import { prefersMarkdown } from '@status-page/contracts'
import t from 'tap'
import { pageLanguage } from '../locales/language.ts'
import { uptimeBars } from './documents/bars.ts'
import { metricList } from './documents/metrics.ts'

const english = pageLanguage('en', 'UTC')

t.test('bars have a text alternative, newest day first', async (t) => {
  const component = {
    id: 'c1',
    name: 'API',
    description: null,
    status: 'operational' as const,
    parentComponentId: null,
    groupName: null,
    order: 0,
    icon: null,
    uptimePercentage: 99.95,
    uptimeSince: null,
    uptimeDays: [
      { date: '2026-08-01', status: 'no_data' as const, downtimeSeconds: 0 },
      { date: '2026-08-02', status: 'partial_outage' as const, downtimeSeconds: 540 },
      { date: '2026-08-03', status: 'operational' as const, downtimeSeconds: 0 },
      { date: '2026-08-04', status: 'major_outage' as const, downtimeSeconds: 7_200 },
    ],
  }
  const made = uptimeBars(component, english)?.toString() ?? ''
  t.match(
    made,
    'aria-label="4 days. Days with incidents: 2. Aug 4: Major outage, 2 hr downtime; Aug 2: Partial outage, 9 min downtime"',
  )
  t.match(made, '<title>Aug 2: Partial outage, 9 min downtime</title>')
  t.match(made, '99.95% uptime')
  t.match(made, '4 days ago')
  t.equal(uptimeBars({ ...component, uptimeDays: null }, english), null)
  const young = { ...component, uptimeSince: '2026-08-02T23:30:00.000Z' }
  const since = uptimeBars(young, pageLanguage('en', 'Europe/Berlin'))?.toString() ?? ''
  t.notMatch(since, 'days ago')
  t.match(since, '<span>Since Aug 3, 2026</span>', 'in the time zone of the page')
  t.match(since, 'aria-label="Since Aug 3, 2026. Days with incidents: 2.')
})

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
  const made = metricList([metric], english)?.toString() ?? ''
  t.match(made, '<strong>120.0 ms</strong>')
  t.match(made, 'aria-label="&lt;Latency&gt;: Min: 90.0 ms; Max: 120.0 ms"')
  t.match(made, '<span>Min: 90.0 ms</span><span>Max: 120.0 ms</span>')
  t.match(made, 'd="M0.0 38.0L120.0 20.0L240.0 2.0"')
  t.match(metricList([metric], pageLanguage('ar', 'UTC'))?.toString(), 'الأدنى: ')
  t.match(metricList([{ ...metric, lastValue: null, points: [] }], english)?.toString(), 'No data')
  t.equal(metricList([], english), null)
})

t.test('the line of a metric is interrupted where there are no values', async (t) => {
  const metric = latency(['06:00', 5], ['06:15', 5], ['11:00', 5], ['11:15', 5])
  const made = metricList([metric], english)?.toString() ?? ''
  t.match(made, 'd="M0.0 38.0L11.4 38.0M228.6 38.0L240.0 38.0"')
  t.notMatch(made, 'Max: ', 'a constant value has one bound')
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
