/** Markup of imported messages as Markdown, as pages render it. */
import { messageHtml } from '@status-page/markdown'
import { hostileMarkup, measureProcessorTime } from '@status-page/testing'
import t from 'tap'
import { messageText } from './message-text.ts'

const cases: readonly [source: string, markdown: string][] = [
  ['Plain text.\r\n\r\nSecond paragraph.', 'Plain text.\n\nSecond paragraph.'],
  [
    '**Markdown** stays, [as](https://a.example) it is',
    '**Markdown** stays, [as](https://a.example) it is',
  ],
  ['a < b and c > d', 'a < b and c > d'],
  ['<p>One</p><p>Two<br/>lines</p>', 'One\n\nTwo\nlines'],
  ['<strong>Fixed</strong> at <em>noon</em>', '**Fixed** at *noon*'],
  ['<b> spaced </b>text', '**spaced**text'],
  ['an empty <b></b> mark', 'an empty mark'],
  ['<ul><li>a</li><li><b>b</b></li></ul>', '- a\n- **b**'],
  ['<ol><li>a</li><li>b</li></ol>', ' 1. a\n 2. b'],
  ['run <code>ls</code>', 'run `ls`'],
  ['<pre>a\n  b</pre>', '```\na\n  b\n```'],
  ['<h3>Impact</h3>Some', '## Impact\n\nSome'],
  [
    'see <a href="https://a.example/x?y=1&amp;z">the <b>site</b></a>',
    'see [the **site**](https://a.example/x?y=1&z)',
  ],
  ['<a href="javascript:alert(1)">no link</a>', 'no link'],
  ['<a href="https://a.example/(x) y">odd</a>', '[odd](https://a.example/%28x%29%20y)'],
  ['<script>alert(1)</script>after', 'after'],
  ['&lt;script&gt; &amp; co', '<script> & co'],
  ['"the runbook":https://a.example/run.', '[the runbook](https://a.example/run).'],
  ['h2. Summary\nbq. quoted', '## Summary\n> quoted'],
  ['he said "no": wait', 'he said "no": wait'],
]

t.test('HTML and Textile become Markdown, other text stays', async (t) => {
  for (const [source, markdown] of cases) t.equal(messageText(source), markdown, source)
})

t.test('no markup of a message reaches the HTML of a page', async (t) => {
  const allowed = /^<\/?(?:p|br|strong|em|code|pre|ul|ol|li|blockquote|a)\b/
  for (const source of hostileMarkup) {
    const elements = messageHtml(messageText(source)).match(/<[^>]*>?/g) ?? []
    t.same(
      elements.filter((element) => !allowed.test(element)),
      [],
      encodeURI(source).slice(0, 60),
    )
  }
})

t.test('a conversion takes bounded processor time, whatever the message', async (t) => {
  const length = 200_000
  // Below the limit from which on tags are removed without layout.
  const MOST_ELEMENTS = 3_900
  const repeated = [
    ...['<b>', '<b', '<li>', '<a href="', '"a":http://', '"', 'h1. ', '&amp;', '<pre>', '\n', '</'],
    ...['<i><b>', '<a href="https://a.example">x', '"a":https://a.example ', '<h1>x</h1>'],
  ]
  for (const part of repeated) {
    const { processorMs } = measureProcessorTime(() => {
      messageText(part.repeat(length / part.length))
      messageText(part.repeat(Math.min(MOST_ELEMENTS, length / part.length)))
    })
    t.ok(processorMs < 1_000, `${JSON.stringify(part)}: ${processorMs.toFixed(0)} ms`)
  }
})
