/** Markup: values are escaped, lists are rendered on demand, and links lead to the web only. */
import { largestStep } from '@status-page/testing'
import fc from 'fast-check'
import t from 'tap'
import { fillPlaceholders, fillText, html, linkUrls, renderEach, renderMarkup } from './markup.ts'

const anyText = fc.string({ unit: 'binary' })

t.test('no text becomes markup, in content or in an attribute', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(anyText, (text) => {
        const rendered = html`<p title="${text}">${text}</p>`.toString()
        const inner = /^<p title="([^"<>]*)">([^<>]*)<\/p>$/s.exec(rendered)
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
  t.equal(fillPlaceholders('From {} on', html`<b>1</b>`).toString(), 'From <b>1</b> on')
  t.equal(fillPlaceholders('{} to {}', html`<b>1</b>`, '<2>').toString(), '<b>1</b> to &lt;2&gt;')
  t.equal(fillText('{} to {}', '{}', '2'), '{} to 2')
})
