/**
 * Building blocks of pages: escaped markup, readable colours, metrics and bars with text
 * alternatives.
 */
import { prefersMarkdown } from '@status-page/contracts'
import { largestStep } from '@status-page/testing'
import fc from 'fast-check'
import t from 'tap'
import { fillPlaceholder, html, linkUrls, renderEach, renderMarkup } from '../../html.ts'
import { pageLanguage } from '../locales/language.ts'
import { uptimeBars } from './documents/bars.ts'
import { metricList } from './documents/metrics.ts'
import {
  colourDeclarations,
  contrastRatio,
  darkColours,
  ensureContrast,
  lightColours,
  noTheme,
} from './layout/theme.ts'

const anyText = fc.string({ unit: 'binary' })

t.test('no text becomes markup, in content or in an attribute', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(anyText, (text) => {
        const made = html`<p title="${text}">${text}</p>`.toString()
        const inner = /^<p title="([^"<>]*)">([^<>]*)<\/p>$/s.exec(made)
        return inner !== null && inner[1] === inner[2]
      }),
    ),
  )
})

t.test('a list is rendered entry by entry while the page is written', async (t) => {
  let drawn = 0
  const draw = (entry: number) => {
    drawn += 1
    return html`<li>${entry}</li>`
  }
  const entries = Array.from({ length: 1_000 }, (_, index) => index)
  const list = html`<ul>${renderEach(entries, draw)}</ul>`
  t.equal(drawn, 0)
  const work = renderMarkup(list)
  const longest = largestStep(work, () => drawn)
  t.ok(longest < 100, `${longest} entries without a pause`)
  t.equal(list.toString(), `<ul>${entries.map((entry) => `<li>${entry}</li>`).join('')}</ul>`)
})

t.test('links lead to the web only, and their text is the URL', async (t) => {
  t.equal(
    linkUrls('See https://a.example/x?y=1&z=2. Or javascript:alert(1)').toString(),
    'See <a href="https://a.example/x?y=1&amp;z=2" rel="nofollow">https://a.example/x?y=1&amp;z=2</a>. Or javascript:alert(1)',
  )
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(anyText, (text) => !/<(?!\/?a[ >])/.test(linkUrls(`https://${text}`).toString())),
    ),
  )
  t.equal(fillPlaceholder('From {} on', html`<b>1</b>`).toString(), 'From <b>1</b> on')
})

t.test(
  'every chosen colour has enough contrast in light and dark mode, and so has text on it',
  async (t) => {
    const colour = fc
      .integer({ min: 0, max: 0xffffff })
      .map((n) => `#${n.toString(16).padStart(6, '0')}`)
    t.doesNotThrow(() =>
      fc.assert(
        fc.property(colour, (chosen) =>
          [lightColours, darkColours].every(
            ({ card }) => contrastRatio(ensureContrast(chosen, card, 4.5), card) >= 4.5,
          ),
        ),
      ),
    )
    t.doesNotThrow(() =>
      fc.assert(
        fc.property(colour, (chosen) => {
          const theme = { ...noTheme, primaryColor: chosen }
          return (['light', 'dark'] as const).every((which) => {
            const said = new Map(
              colourDeclarations(theme, which)
                .split(';')
                .map((one) => one.split(':') as [string, string]),
            )
            const on = said.get('--on-link') === '#fff' ? '#ffffff' : '#0b1016'
            return contrastRatio(said.get('--link') ?? '', on) >= 4.5
          })
        }),
      ),
    )
  },
)

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
