/** Feeds escape every text and are well-formed. */
import { runToEnd } from '@status-page/service'
import { largestStep } from '@status-page/testing'
import fc from 'fast-check'
import t from 'tap'
import { type Feed, type FeedEntry, renderFeed } from './feeds.ts'

const rendered = (...feed: Parameters<typeof renderFeed>) =>
  runToEnd(renderFeed(...feed)).toString()

const entry = (more: Partial<FeedEntry> = {}): FeedEntry => ({
  id: '01890000-0000-7000-8000-000000000001',
  title: 'Monitoring: </title><svg onload=x>',
  updates: [
    { heading: 'Monitoring, T2', message: 'a ]]> b' },
    { heading: 'Investigating, T1', message: 'x < y' },
  ],
  url: 'https://status.test/status/acme/incidents/1?a=1&b=2',
  createdAt: '2026-08-01T09:31:00.000Z',
  publishedAt: '2026-08-01T09:30:00.000Z',
  updatedAt: '2026-08-01T10:00:00.000Z',
  ...more,
})

const feed = (...entries: FeedEntry[]): Feed => ({
  id: '01890000-0000-7000-8000-000000000002',
  title: 'Acme "&" sons',
  description: null,
  pageUrl: 'https://status.test/status/acme',
  feedUrl: 'https://status.test/api/v1/public/status/acme/feed?format=atom',
  updatedAt: '2026-08-01T10:00:00.000Z',
  language: 'en',
  entries,
})

/**
 * Minimal strict XML parser: well-nested tags, quoted attributes, known entities, valid characters.
 */
const problemOf = (xml: string): string | null => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(xml) || !xml.isWellFormed()) {
    return 'a forbidden character'
  }
  const open: string[] = []
  const token = /<\?xml[^>]*\?>\n|<(\/?)([a-z:]+)((?:\s+[\w:]+="[^"<]*")*)\s*(\/?)>|[^<]+/gi
  let end = 0
  for (const match of xml.matchAll(token)) {
    if (match.index !== end) return `stopped at ${xml.slice(end, end + 20)}`
    end += match[0].length
    const [text, closes, name = '', , isEmpty] = match
    if (/&(?!(?:amp|lt|gt|quot|#39);)/.test(text)) return `an entity in ${text}`
    if (name === '') continue
    if (closes) {
      if (open.pop() !== name) return `</${name}> closes another`
    } else if (!isEmpty) open.push(name)
  }
  return end === xml.length && open.length === 0 ? null : 'an unfinished document'
}

t.test('RSS texts are escaped once, as plain text', async (t) => {
  for (const format of ['rss', 'atom'] as const) {
    const xml = rendered(format, feed(entry()))
    t.equal(problemOf(xml), null)
    const title = {
      rss: 'Monitoring: &lt;/title&gt;&lt;svg',
      atom: 'Monitoring: &amp;lt;/title&amp;gt;&amp;lt;svg',
    }
    t.match(xml, title[format])
    t.match(xml, '&lt;strong&gt;Monitoring, T2&lt;/strong&gt;&lt;/p&gt;')
    t.match(xml, '&lt;p&gt;a ]]&amp;gt; b&lt;/p&gt;')
    t.match(xml, '&lt;p&gt;x &amp;lt; y&lt;/p&gt;')
  }
})

t.test('a JSON feed holds plain text and HTML', async (t) => {
  const { version, items } = JSON.parse(rendered('json', feed(entry())))
  t.equal(version, 'https://jsonfeed.org/version/1.1')
  t.match(items[0], {
    id: 'urn:uuid:01890000-0000-7000-8000-000000000001',
    title: 'Monitoring: </title><svg onload=x>',
    content_html: /^<p><strong>Monitoring, T2<\/strong><\/p>\n<p>a \]\]&gt; b<\/p>\n/,
    content_text: 'Monitoring, T2\na ]]> b\n\nInvestigating, T1\nx < y',
    date_modified: '2026-08-01T10:00:00.000Z',
  })
})

t.test('every text results in a feed that parses', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 })
  fc.assert(
    fc.property(
      text,
      text,
      fc.constantFrom('rss' as const, 'atom' as const),
      (title, message, format) => {
        const updates = [{ heading: 'Resolved, T', message }]
        const problem = problemOf(rendered(format, feed(entry({ title, updates }))))
        if (problem !== null) throw new Error(problem)
      },
    ),
  )
})

t.test('a feed of many updates is rendered a few at a time', (t) => {
  for (const format of ['rss', 'atom', 'json'] as const) {
    let read = 0
    const update = {
      heading: 'Monitoring, T',
      get message() {
        read += 1
        return 'A long message. '.repeat(500)
      },
    }
    const updates = Array.from({ length: 500 }, () => update)
    const work = renderFeed(format, feed(entry({ updates })))
    const largest = largestStep(work, () => read)
    // A JSON feed has the text of each update twice: as plain text and as HTML.
    t.equal(read, format === 'json' ? 1_000 : 500)
    t.ok(largest <= 5, `${format}: ${largest} updates without a pause`)
  }
  t.end()
})
