/** Messages: the subset of CommonMark, nothing outside it, and no input that takes long. */
import { hostileMarkup } from '@status-page/testing'
import fc from 'fast-check'
import t from 'tap'
import {
  commonMark,
  discordMarkdown,
  messageCommonMark,
  messageHtml,
  messagePlainText,
  renderMessage,
  slackMrkdwn,
  teamsMarkdown,
} from './index.ts'
import { MAX_SIGNS, parseMessage } from './parser.ts'

const subset: readonly [name: string, source: string, html: string, text: string][] = [
  ['emphasis', 'a *b* _c_', '<p>a <em>b</em> <em>c</em></p>', 'a b c'],
  ['strong', '**b** __c__', '<p><strong>b</strong> <strong>c</strong></p>', 'b c'],
  ['inline code', 'run `a <b>`', '<p>run <code>a &lt;b&gt;</code></p>', 'run a <b>'],
  ['code block', '```sh\nls *\n```', '<pre><code>ls *\n</code></pre>', 'ls *'],
  ['indented code', '    a\n    b', '<pre><code>a\nb\n</code></pre>', 'a\nb'],
  ['line break', 'a\nb', '<p>a<br>\nb</p>', 'a\nb'],
  ['paragraphs', 'a\n\n\nb', '<p>a</p>\n<p>b</p>', 'a\n\nb'],
  ['list', '- a\n- b', '<ul dir="auto">\n<li>a</li>\n<li>b</li>\n</ul>', '- a\n- b'],
  [
    'ordered list',
    '3. a\n4. b',
    '<ol start="3" dir="auto">\n<li>a</li>\n<li>b</li>\n</ol>',
    '3. a\n4. b',
  ],
  [
    'list in a list',
    '- a\n  - b',
    '<ul dir="auto">\n<li>a\n<ul dir="auto">\n<li>b</li>\n</ul>\n</li>\n</ul>',
    '- a\n  - b',
  ],
  ['quotation', '> a\n> b', '<blockquote dir="auto">\n<p>a<br>\nb</p>\n</blockquote>', '> a\n> b'],
  ['heading as strong text', '## a', '<p><strong>a</strong></p>', 'a'],
  ['underlined heading as strong text', 'a\n===', '<p><strong>a</strong></p>', 'a'],
  [
    'link',
    '[a](https://b.example/?c=1&d=2)',
    '<p><a href="https://b.example/?c=1&amp;d=2" rel="nofollow">a</a></p>',
    'a (https://b.example/?c=1&d=2)',
  ],
  [
    'mail link',
    '[a](mailto:b@c.example)',
    '<p><a href="mailto:b@c.example" rel="nofollow">a</a></p>',
    'a (mailto:b@c.example)',
  ],
  [
    'bare URL, without the full stop behind it',
    'See https://a.example/x?y=1.',
    '<p>See <a href="https://a.example/x?y=1" rel="nofollow">https://a.example/x?y=1</a>.</p>',
    'See https://a.example/x?y=1.',
  ],
  [
    'URL in angle brackets',
    '<https://a.example>',
    '<p><a href="https://a.example" rel="nofollow">https://a.example</a></p>',
    'https://a.example',
  ],
  ['backslash before a mark', '\\*a\\*', '<p>*a*</p>', '*a*'],
  ['HTML is text', '<b>a</b>', '<p>&lt;b&gt;a&lt;/b&gt;</p>', '<b>a</b>'],
  [
    'block of HTML is text',
    '<div>\na\n</div>',
    '<p>&lt;div&gt;<br>\na<br>\n&lt;/div&gt;</p>',
    '<div>\na\n</div>',
  ],
  ['comment is text', '<!-- a -->', '<p>&lt;!-- a --&gt;</p>', '<!-- a -->'],
  ['entity is text', '&lt; &#x41;', '<p>&amp;lt; &amp;#x41;</p>', '&lt; &#x41;'],
  ['table is text', '| a |\n|---|', '<p>| a |<br>\n|---|</p>', '| a |\n|---|'],
  ['thematic break is text', '***', '<p>***</p>', '***'],
  ['link reference is text', '[a]: b\n\n[a]', '<p>[a]: b</p>\n<p>[a]</p>', '[a]: b\n\n[a]'],
  ['host without a scheme is text', 'run build.sh', '<p>run build.sh</p>', 'run build.sh'],
  [
    'image as link',
    'See ![a](https://b.example/c.png)!',
    '<p>See <a href="https://b.example/c.png" rel="nofollow">a</a>!</p>',
    'See a (https://b.example/c.png)!',
  ],
  [
    'link without a label',
    '![](https://b.example) [](https://b.example)',
    '<p><a href="https://b.example" rel="nofollow">https://b.example</a> <a href="https://b.example" rel="nofollow">https://b.example</a></p>',
    'https://b.example https://b.example',
  ],
  [
    'exclamation mark before a link',
    'Now\\![a](https://b.example)',
    '<p>Now!<a href="https://b.example" rel="nofollow">a</a></p>',
    'Now!a (https://b.example)',
  ],
  ['image of another scheme is text', '![a](data:b)', '<p>![a](data:b)</p>', '![a](data:b)'],
  ['link without a URL is text', '[*a*]() [b]( )', '<p>[<em>a</em>]() [b]( )</p>', '[a]() [b]( )'],
  ['image without a URL is text', '[]() ![a]()', '<p>[]() ![a]()</p>', '[]() ![a]()'],
  ['empty message', '', '', ''],
]

t.test('a message is rendered in the subset of CommonMark', async (t) => {
  for (const [name, source, html, text] of subset) {
    t.equal(messageHtml(source), html, name)
    t.equal(messagePlainText(source), text, `${name}, as plain text`)
  }
})

const ELEMENT =
  /^<(?:\/?(?:p|strong|em|code|pre|li)|\/(?:ul|ol|blockquote|a)|(?:ul|ol(?: start="\d+")?|blockquote) dir="auto"|br|a href="(?:https?:\/\/|mailto:)[^"<>]*" rel="nofollow")>$/i

const forbiddenElements = (html: string): string[] =>
  (html.match(/<[^>]*>?/g) ?? []).filter((element) => !ELEMENT.test(element))

t.test('the HTML of a message has no elements or links outside the subset', async (t) => {
  for (const source of hostileMarkup)
    t.same(forbiddenElements(messageHtml(source)), [], encodeURI(source))
  const signs = fc.constantFrom(
    ...['<', '>', '"', "'", '&', '[', ']', '(', ')', '!', '*', '_', '`', '\n', ' ', '> ', '- '],
    ...['javascript:', 'https://a.example/', 'mailto:', 'onclick=', '<script>', '    ', '#', '\\'],
  )
  const text = fc.array(fc.oneof(signs, fc.string({ unit: 'grapheme' })), { maxLength: 40 })
  const isClean = (parts: string[]) => forbiddenElements(messageHtml(parts.join(''))).length === 0
  t.doesNotThrow(() => fc.assert(fc.property(text, isClean), { numRuns: 2_000 }))
})

t.test('a message that is nested too deeply keeps its text', async (t) => {
  for (const marks of ['> '.repeat(1_000), '- '.repeat(1_000), '[*'.repeat(1_000)]) {
    t.match(messageHtml(`${marks}needle`), /needle/, marks.slice(0, 4))
    t.match(messagePlainText(`${marks}needle`), /needle/, marks.slice(0, 4))
  }
})

const MAX_LENGTH = 25_000

/** Texts that are repeated up to the maximum length of a message. */
const repeated: readonly string[] = [
  ...['*', '_', '`', '[', ']', '(', '<', '>', '\\', '!', '#', '-', '&', '"', '\n', '\u2028', '*_'],
  ...['> ', '- ', '-\ta\n', '1. ', '*a', 'a**b', '**a *b ', '[*', '*[', '![', '[a](', '[a](b "'],
  ...['[a](<', '](', '[a\n', '<a:', '<a@b>', 'https://a.b ', 'https://a.b/(', 'mailto:a@b '],
  ...[
    '- a\n',
    '- a\n\n',
    '1. a\n\n',
    '# a\n',
    'a\n=\n',
    '> a\n',
    '>\n',
    '    a\n',
    '```\n',
    '\\\n',
  ],
  ...[
    '- - - - - - - - - a\n',
    '**a\n\n',
    '`a``b',
    '<b c="d">',
    '&amp;',
    '|a|\n|-|\n',
    'a*。',
    '😀*',
  ],
]

const hostileMessages = repeated.flatMap((text) => {
  const message = text.repeat(MAX_LENGTH).slice(0, MAX_LENGTH)
  // As many signs as are parsed, and text up to the maximum length.
  const head = message.slice(0, MAX_SIGNS)
  return [message, head.padEnd(MAX_LENGTH, 'a'), head.padEnd(MAX_LENGTH, 'a ')]
})

hostileMessages.push(
  ...['> ', '- '].map((mark) => mark.repeat(9) + 'a\n'.repeat(MAX_LENGTH / 2)),
  Array.from({ length: 200 }, (_none, index) => '`'.repeat(index)).join('a'),
)

t.test('the work for a message does not grow with its marks beyond a limit', async (t) => {
  const countTokens = (message: string) =>
    parseMessage(message).reduce((sum, { children }) => sum + 1 + (children?.length ?? 0), 0)
  const tooMany = hostileMessages.filter((message) => countTokens(message) > 6 * MAX_SIGNS)
  t.same(
    tooMany.map((message) => encodeURI(message.slice(0, 20))),
    [],
  )
  t.equal(messageHtml('*a*\n'.repeat(MAX_SIGNS / 3)).match(/<em>/g)?.length, MAX_SIGNS / 3)
  t.equal(messageHtml(`${'*a*\n'.repeat(MAX_SIGNS / 3)}<>`).match(/<(?!br>)/g)?.length, 2)
})

t.test('no rendering of a message is much longer than the message', async (t) => {
  for (const message of hostileMessages) {
    const renderings = [
      messageHtml(message),
      messagePlainText(message),
      ...[commonMark, discordMarkdown, slackMrkdwn, teamsMarkdown].map((dialect) =>
        renderMessage(message, dialect),
      ),
    ]
    const longest = Math.max(...renderings.map(({ length }) => length))
    t.ok(longest < 7 * MAX_LENGTH, `${encodeURI(message.slice(0, 20))}: ${longest}`)
  }
})

t.test('words of a message survive in every dialect', async (t) => {
  const words = fc.array(
    fc.constantFrom('alpha', 'beta', '*', '**', '_', '`', '> ', '- ', '\n', '[', ']'),
  )
  const dialects = [commonMark, discordMarkdown, slackMrkdwn, teamsMarkdown]
  const count = (text: string) => text.match(/alpha|beta/g)?.length ?? 0
  const renderings = (source: string) => [
    messageHtml(source),
    messagePlainText(source),
    ...dialects.map((dialect) => renderMessage(source, dialect)),
  ]
  // The word behind the marks of a fence names a language and is not shown.
  const sources = words.map((parts) => parts.join('')).filter((text) => !text.includes('```'))
  const lost = (source: string) =>
    renderings(source).filter((text) => count(text) !== count(source))
  t.doesNotThrow(() => fc.assert(fc.property(sources, (source) => lost(source).length === 0)))
})

t.test('a message is rendered in the marks of chat services', async (t) => {
  const source =
    '## **Down** & <!here>\n\n- `a*b` [log](https://b.example/(x)|y)\n- https://c.example\n\n> _quote_'
  t.equal(
    renderMessage(source, slackMrkdwn),
    '*Down &amp; &lt;!here&gt;*\n\n• `a*b` <https://b.example/(x)%7Cy|log>\n• <https://c.example>\n\n> _quote_',
  )
  t.equal(
    renderMessage(source, discordMarkdown),
    '**Down & \\<\\!here\\>**\n\n- `a*b` [log](https://b.example/%28x%29%7Cy)\n- https://c.example\n\n> *quote*',
  )
  t.equal(
    renderMessage(source, teamsMarkdown),
    '**Down & \\<\\!here\\>**\n\n- a\\*b [log](https://b.example/%28x%29%7Cy)\n- [https://c.example](https://c.example)\n\n_quote_',
  )
})

t.test('an exclamation mark before a link does not make the link an image', async (t) => {
  const sources = ['Now\\![a](https://b.example)', 'Now\\\\\\![a](https://b.example)']
  for (const source of sources) {
    const rendered = renderMessage(source, commonMark)
    t.equal(rendered, source)
    t.equal(messageHtml(rendered), messageHtml(source))
  }
  t.equal(renderMessage('Down!', commonMark), 'Down!')
})

t.test('a line that is only a hard break stays in its paragraph in CommonMark', async (t) => {
  t.equal(messageCommonMark('**alpha\n\\\nbeta**'), '**alpha\n\\\nbeta**')
})

t.test('marks whose neighbours change their meaning are omitted in CommonMark', async (t) => {
  const rendered = messageCommonMark('*alpha**_**_\n===')
  t.equal(rendered, 'alpha\\*\\*\\*')
  t.equal(messagePlainText(rendered), 'alpha***')
})

t.test('a message in CommonMark of the subset has the same text', async (t) => {
  const parts = fc.constantFrom(
    ...[
      'alpha',
      'beta',
      '*',
      '**',
      '_',
      '> ',
      '- ',
      '1. ',
      '# ',
      '\n',
      '\n===',
      '\n\n',
      ' ',
      '[',
      ']',
    ],
    ...['<b>', '|', '~~~', '\\', '&amp;'],
  )
  const source = fc.array(parts).map((texts) => texts.join(''))
  const textOf = (message: string) => messagePlainText(message).replaceAll(/[\s>\d.-]/g, '')
  const isSame = (message: string) => textOf(messageCommonMark(message)) === textOf(message)
  t.doesNotThrow(() => fc.assert(fc.property(source, isSame), { numRuns: 2_000 }))
})
