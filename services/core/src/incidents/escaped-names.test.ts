/** Names in messages: every service shows an escaped name as it is. */
import { escapeMarkdown, unescapeMarkdown } from '@status-page/contracts'
import { messageHtml, messagePlainText } from '@status-page/markdown'
import fc from 'fast-check'
import t from 'tap'

t.test('an escaped name creates no marks', async (t) => {
  for (const name of [
    '*prod*',
    '_eu_',
    'a_b_c',
    '`x`',
    '[a](https://b.example)',
    '<https://a.b>',
  ]) {
    const message = `Automatic checks of ${escapeMarkdown(name)} have failed.`
    t.equal(messagePlainText(message), `Automatic checks of ${name} have failed.`)
    t.notMatch(messageHtml(message), /<(?:em|strong|code)>/)
  }
})

t.test('usual names need no escapes', async (t) => {
  for (const name of ['api_gateway', 'web-7 (eu)', 'R&D #1', 'a.b/c|d']) {
    t.equal(escapeMarkdown(name), name)
  }
})

t.test('any name is shown and read back as it is', async (t) => {
  const names = fc.stringMatching(/^[ab _*`[\]<>()\\\\!&#~-]{1,20}$/)
  fc.assert(
    fc.property(names, (name) => {
      const escaped = escapeMarkdown(name)
      t.equal(unescapeMarkdown(escaped), name)
      return messagePlainText(`of ${escaped} have`) === `of ${name} have`
    }),
    { numRuns: 500 },
  )
})
