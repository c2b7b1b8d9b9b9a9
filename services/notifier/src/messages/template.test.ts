/** Values never break out of their place, whatever the template contains. */
import { measureProcessorTime } from '@status-page/testing'
import fc from 'fast-check'
import t from 'tap'
import { discordBody } from '../channels/discord.ts'
import { slackBody } from '../channels/slack.ts'
import { teamsBody } from '../channels/teams.ts'
import type { MessageContext } from './context.ts'
import { digestContent } from './digest-content.ts'
import { eventMail } from './event-mail.ts'
import type { MessageContent } from './message-content.ts'
import { defaultLanguage } from './reader-language.ts'
import {
  placeholderValues,
  renderBody,
  renderText,
  templateVariableNames,
  unknownPlaceholders,
} from './template.ts'
import { escapeAndTruncateBytes } from './truncate.ts'
import type { WebhookEvent } from './webhook-body.ts'

const content = (change: Partial<MessageContent> = {}): MessageContent => ({
  noun: 'incident',
  kind: 'incident.created',
  id: 'i1',
  status: 'investigating',
  occurredAt: new Date('2026-01-02T03:04:05.000Z'),
  headline: 'Investigating',
  summary: 'Investigating: API errors',
  title: 'API errors',
  message: 'We are on it.',
  isMarkdown: false,
  facts: [['Status', 'Investigating']],
  colourStatus: 'major_outage',
  url: 'https://status.example.com/i/1',
  impact: 'major',
  components: ['API', 'Web'],
  window: null,
  ...change,
})

const context = (messageTemplate: string | null): MessageContext => ({
  senderName: 'Acme',
  appearance: null,
  baseUrl: 'https://status.example.com',
  coveredUpdates: 0,
  sequence: 1,
  language: defaultLanguage,
  reader: { kind: 'channel', channelName: 'Ops' },
  messageTemplate,
})

t.test('every variable of the contract has its value', async (t) => {
  const all = templateVariableNames.map((name) => `${name}={{${name}}}`).join('\n')
  t.equal(
    renderText(all, placeholderValues(content()), (text) => text),
    [
      'event_type=incident.created',
      'timestamp=2026-01-02T03:04:05.000Z',
      'incident.id=i1',
      'incident.title=API errors',
      'incident.status=investigating',
      'status=investigating',
      'title=API errors',
      'impact=major',
      'components=API, Web',
      'message=We are on it.',
      'url=https://status.example.com/i/1',
    ].join('\n'),
  )
})

t.test('unknown names become empty and are reported, each once', async (t) => {
  const template = '{{ title }} {{nope}} {{a b}} {{nope}} {{}} {{constructor}}'
  t.equal(
    renderText(template, placeholderValues(content()), (text) => text),
    'API errors     ',
  )
  t.same(unknownPlaceholders(template, null, '{{other}}'), [
    'nope',
    'a b',
    '',
    'constructor',
    'other',
  ])
})

t.test('a value is never read as a template', async (t) => {
  const values = placeholderValues(content({ title: '{{message}}', message: 'secret' }))
  t.equal(
    renderText('{{title}}', values, (text) => text),
    '{{message}}',
  )
  t.equal(renderBody('x={{title}}', values), 'x={{message}}')
})

t.test('outside of a JSON string a value becomes a string', async (t) => {
  const values = placeholderValues(content({ title: '1, "admin": true' }))
  t.same(JSON.parse(renderBody('{"a": {{title}}, "b": "{{title}}!", "c": [{{nope}}]}', values)), {
    a: '1, "admin": true',
    b: '1, "admin": true!',
    c: [''],
  })
})

t.test('a template that is not JSON gets values escaped as inside a string', async (t) => {
  const values = placeholderValues(content({ title: 'a "b"\n\\' }))
  t.equal(renderBody('payload={{title}}', values), 'payload=a \\"b\\"\\n\\\\')
})

/** Arbitrary texts, and texts that would do harm unescaped. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    ...['"', '\\', '\\"', '"}', '","admin":true,"x":"', '{{title}}', '}}', '\u2028', '\ud800'],
    ...['</script>', '<b>x</b>', '<!channel>', '<https://evil.example|View>', '@everyone'],
    ...['[x](https://evil.example)', '**b**', '`', '\n\n# Head', '&amp;', "' onload='"],
  ),
)
const hostileNews = fc
  .record({ title: hostile, message: hostile, components: fc.array(hostile, { maxLength: 3 }) })
  .map(content)

/** JSON with placeholders inside and outside of its strings, and any white space. */
const gap = fc.constantFrom(...templateVariableNames, 'nope').map((name) => `{{${name}}}`)
const textWithGaps = fc
  .array(
    fc.oneof(
      gap,
      fc.string({ maxLength: 5 }).map((text) => JSON.stringify(text).slice(1, -1)),
    ),
    {
      maxLength: 4,
    },
  )
  .map((parts) => `"${parts.join('').replaceAll(/\{\{(?!\w[\w.]*\}\})/g, '{ {')}"`)
const jsonTemplate = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    textWithGaps,
    gap,
    fc.constantFrom('null', 'true', '12'),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[ ${items.join(' , ')} ]`),
    fc
      .array(tie('value'), { maxLength: 3 })
      .map((items) => `{${items.map((item, index) => `"k${index}": ${item}`).join(',')} }`),
  ),
})).value

/** Structure of a value without its texts. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
}

t.test('no values change the shape of a JSON template', async (t) => {
  const harmless = placeholderValues(content({ title: 'x', message: 'x', components: ['x'] }))
  fc.assert(
    fc.property(jsonTemplate, hostileNews, (template, about) => {
      const expected = shapeOf(JSON.parse(renderBody(template, harmless)))
      t.same(shapeOf(JSON.parse(renderBody(template, placeholderValues(about)))), expected)
    }),
  )
})

t.test('a rendered text has at most 64 KiB', async (t) => {
  const long = content({ title: '"'.repeat(255), message: '😀'.repeat(25_000) })
  for (const template of ['{{message}}'.repeat(500), '{"a":"{{message}}","b":"{{message}}"}']) {
    t.ok(Buffer.byteLength(renderBody(template, placeholderValues(long))) <= 64 * 1024)
    t.ok(
      Buffer.byteLength(renderText(template, placeholderValues(long), (text) => text)) <= 64 * 1024,
    )
  }
  const cut = renderBody('{"a":"{{message}}","b":"{{message}}"}', placeholderValues(long))
  t.match(JSON.parse(cut).a, /^(?:😀)+…$/u, 'truncated after a whole character, still JSON')
})

t.test('the cost of rendering is limited for any number of placeholders', async (t) => {
  const values = placeholderValues(content({ message: '"'.repeat(25_000) }))
  const template = '{{message}}'.repeat(5_957)
  // An implementation that rendered once per limit took a minute; this one takes milliseconds.
  t.ok(measureProcessorTime(() => renderBody(template, values)).processorMs < 500)
  let escapedUnits = 0
  renderText(template, values, (text) => {
    escapedUnits += text.length
    return text
  })
  t.ok(escapedUnits <= 2 * values.message.length, `${escapedUnits} units escaped`)
})

t.test('long values share the length that short ones leave', async (t) => {
  const values = placeholderValues(
    content({ message: '"'.repeat(60_000), components: ['é'.repeat(60_000)] }),
  )
  const template = '{"m":"{{message}}","c":{{components}},"t":"{{title}}","s":{{impact}}}'
  const body = renderBody(template, values)
  const { m, c, t: title, s } = JSON.parse(body)
  t.same([title, s], ['API errors', 'major'])
  t.match([m, c], [/^"+…$/, /^é+…$/])
  const bytes = Buffer.byteLength(body)
  t.ok(bytes <= 64 * 1024 && bytes > 64 * 1024 - 16, `${bytes} bytes`)
})

t.test('a truncated value stays within its bytes and ends at a whole character', async (t) => {
  const text = fc.array(fc.oneof(hostile, fc.constantFrom('😀', 'é', '\u0001', 'a')), {
    maxLength: 200,
  })
  const escapeJson = (one: string) => JSON.stringify(one).slice(1, -1)
  fc.assert(
    fc.property(text, fc.nat({ max: 300 }), (pieces, maxBytes) => {
      const whole = pieces.join('')
      const cut = escapeAndTruncateBytes(whole, maxBytes, escapeJson)
      t.ok(Buffer.byteLength(cut) <= maxBytes)
      const read: string = JSON.parse(`"${cut}"`).slice(0, -1)
      t.ok(whole.startsWith(read))
      t.ok(read.isWellFormed() || !whole.isWellFormed())
    }),
  )
})

t.test('a digest of any size loads only the components that it lists', async (t) => {
  let reads = 0
  const event = (title: string): WebhookEvent => ({
    kind: 'incident.created',
    occurredAt: new Date(),
    incident: {
      id: title,
      title,
      status: 'investigating',
      impact: 'major',
      message: '',
      url: null,
      startedAt: '2026-01-02T03:04:05.000Z',
      resolvedAt: null,
      statusPageIds: [],
      notifySubscribers: true,
      get components() {
        reads++
        return []
      },
    },
  })
  const titles = Array.from({ length: 500 }, (_none, index) => `Case ${index}`)
  const [first = event('none'), ...others] = titles.map(event)
  const digest = digestContent([first, ...others], 0, defaultLanguage)
  t.match(digest, { title: 'Case 0, Case 1, Case 2, and 497 more', headline: '500 updates' })
  t.match(digest.message.split('\n'), { length: 32, 31: 'and 470 more' })
  t.ok(reads <= 60, `${reads} reads`)
})

const template = fc.option(
  fc
    .array(fc.oneof(gap, fc.constantFrom(' is ', '\n', '*', ': ')), { maxLength: 5 })
    .map((parts) => parts.join('')),
)

t.test('text cannot mention, link or format in a chat and is no markup in a mail', async (t) => {
  fc.assert(
    fc.property(template, hostileNews, (messageTemplate, about) => {
      const own = { ...about, facts: [['Affected', about.components.join(', ')]] as const }
      const slack = JSON.parse(slackBody(own, context(messageTemplate), null).toString())
      const marked = [slack.text, ...slack.blocks.slice(1).map(markdownOf)].join('\n')
      const links = marked.match(/<[^>]*>?/g) ?? []
      t.ok(
        links.every((link: string) => link === LINK),
        links.join(),
      )
      const discord = JSON.parse(discordBody(own, context(messageTemplate)).toString())
      t.same(discord.allowed_mentions, { parse: [] })
      const { title = '', description } = discord.embeds[0]
      t.notOk(isFormatted(title) || isFormatted(fromValues(description, messageTemplate)))
      const teams = JSON.parse(teamsBody(own, context(messageTemplate)).toString())
      t.same(Object.keys(teams), ['type', 'attachments'])
      const { html } = eventMail(own, context(messageTemplate))
      t.notMatch(html, /<b>|<\/script>|onload='/)
    }),
  )
})

const LINK = '<https://status.example.com/i/1|View incident>'

interface SlackBlock {
  text?: { text: string }
  fields?: { text: string }[]
  elements?: { text: string }[]
}
const markdownOf = ({ text, fields = [], elements = [] }: SlackBlock): string =>
  [text?.text ?? '', ...[...fields, ...elements].map((part) => part.text)].join('\n')

/** Templates may format text; inserted values may not. */
const fromValues = (text: string, messageTemplate: string | null): string =>
  messageTemplate?.includes('*') ? '' : text

/** Discord markup without an escaping backslash, outside of a link. */
const isFormatted = (text: string): boolean =>
  /[*_~`|[\]<>]/.test(
    text.replaceAll(/https?:\/\/[\w\-./?=&%#:~+,;]+/g, '').replaceAll(/\\./gs, ''),
  )
