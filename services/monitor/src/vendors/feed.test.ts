/** RSS and Atom feeds of status pages, case by case. */
import { runCooperatively } from '@status-page/service'
import t from 'tap'
import { parseFeed } from './feed.ts'
import { vendorReportOf } from './report.ts'

const now = new Date('2026-01-10T12:00:00.000Z')
const parse = (text: string) => runCooperatively(parseFeed(text, now))

const statusIn = async (text: string, component: string | null = null) => {
  const page = { url: 'https://status.acme.example/', error: null, failedSince: null }
  const document = await parse(text)
  return vendorReportOf({ page: { ...page, document }, component, previous: null, now })
}

const rss = (...items: string[]) => `<?xml version="1.0"?><rss version="2.0"><channel>
  <title>Acme Status - Incident History</title><link>https://status.acme.example</link>
  ${items.map((item) => `<item>${item}</item>`).join('')}</channel></rss>`

const item = (title: string, state: string, day: number) => `<title>${title}</title>
  <description>&lt;p&gt;&lt;small&gt;Jan ${day}&lt;/small&gt;&lt;br&gt;&lt;strong&gt;${state}&lt;/strong&gt;
  - We look.&lt;/p&gt;</description>
  <pubDate>${new Date(Date.UTC(2026, 0, day)).toUTCString()}</pubDate>
  <link>https://status.acme.example/incidents/${day}</link>`

const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Acme</title>
  <link rel="self" href="https://status.acme.example/feed.atom"/>
  <link rel="alternate" href="https://status.acme.example/"/>
  <entry><title>Slow &amp;amp; broken</title><updated>2026-01-09T10:00:00Z</updated>
    <link rel="alternate" href="https://status.acme.example/1"/>
    <content type="html"><![CDATA[<b>Monitoring</b> - the API &lt;recovers&gt;]]></content></entry></feed>`

const cases: readonly [what: string, feed: string, expected: object][] = [
  ['an empty feed', rss(), { status: 'operational', vendor: 'Acme', message: null }],
  [
    'an open incident',
    rss(item('API errors', 'Investigating', 9)),
    {
      status: 'degraded_performance',
      message: 'API errors',
      url: 'https://status.acme.example/incidents/9',
      reportedAt: '2026-01-09T00:00:00.000Z',
    },
  ],
  ['a resolved incident', rss(item('API errors', 'Resolved', 9)), { status: 'operational' }],
  [
    'a title that states the end',
    rss('<title>[RESOLVED] Errors</title>'),
    {
      status: 'operational',
    },
  ],
  ['a maintenance to come', rss(item('Upgrade', 'Scheduled', 9)), { status: 'operational' }],
  [
    'a maintenance in progress',
    rss(item('Upgrade', 'In progress', 9)),
    {
      status: 'under_maintenance',
    },
  ],
  [
    'an old incident without an end',
    rss(item('API errors', 'Update', 1)),
    {
      status: 'operational',
    },
  ],
  [
    'an entry without a state',
    rss('<title>Outage in Oslo</title>'),
    {
      status: 'degraded_performance',
      message: 'Outage in Oslo',
      url: 'https://status.acme.example/',
    },
  ],
  [
    'Atom',
    atom,
    {
      status: 'degraded_performance',
      message: 'Slow & broken',
      url: 'https://status.acme.example/1',
    },
  ],
  [
    'a script as its link',
    rss('<title>Down</title><link>javascript:alert(1)</link>'),
    {
      url: 'https://status.acme.example/',
    },
  ],
]
for (const [what, feed, expected] of cases) {
  t.test(`a feed with ${what}`, async (t) => {
    t.match(await statusIn(feed), expected)
  })
}

t.test('the name of a component selects the entries that mention it', async (t) => {
  const feed = rss(item('Website slow', 'Identified', 9), item('API errors', 'Resolved', 8))
  t.match(await statusIn(feed, 'Website'), { status: 'degraded_performance' })
  t.match(await statusIn(feed, 'API'), { status: 'operational' })
})

t.test('another document is no feed', async (t) => {
  for (const text of ['<!doctype html><html><title>Acme</title></html>', '<', '']) {
    t.equal(await parse(text), null, text)
  }
})

t.test('entities of a document type are not expanded, and long feeds are cut', async (t) => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa">
    <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>
    ${rss('<title>&b; &x;</title>').slice(21)}`
  t.match(await statusIn(bomb), { message: '&b; &x;' })
  const items = Array.from({ length: 20_000 }, () => '<title>Outage</title>')
  t.equal((await parse(rss(...items)))?.entries.length, 50)
  const nested = `<rss>${'<a>'.repeat(200_000)}`
  t.equal(await parse(nested), null, 'deep nesting is no feed')
})
