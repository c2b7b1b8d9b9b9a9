/** Messages of incidents and maintenances are Markdown in each channel; other messages are text. */
import type { ChannelType, IncidentEventData } from '@status-page/contracts'
import { hostileMarkup } from '@status-page/testing'
import t from 'tap'
import { renderContent } from '../channels/render.ts'
import type { MessageContext } from './context.ts'
import { defaultLanguage } from './reader-language.ts'
import { sampleEvent } from './sample.ts'
import type { SubjectEvent, WebhookEvent } from './webhook-body.ts'

const baseUrl = 'https://status.example.com'
const now = new Date('2026-01-02T03:04:05.000Z')
const context: MessageContext = {
  senderName: 'Acme',
  appearance: null,
  baseUrl,
  language: defaultLanguage,
  coveredUpdates: 0,
  sequence: 1,
  reader: { kind: 'channel', channelName: 'Ops' },
  messageTemplate: null,
}
const event = sampleEvent('incident.created', now, baseUrl) as SubjectEvent<'incident'>
const withMessage = (message: string): WebhookEvent => ({
  ...event,
  incident: { ...event.incident, message } as IncidentEventData,
})
const MESSAGE = '**Logins** fail & `a*b`, see [log](https://log.example/x_y).\n\n- one\n- two'
const PLAIN = 'Logins fail & a*b, see log (https://log.example/x_y).\n\n- one\n- two'

const render = (
  type: ChannelType,
  about: WebhookEvent,
  messageTemplate: string | null = null,
  others: readonly WebhookEvent[] = [],
) => {
  const { mail, text, body } = renderContent(type, {
    event: about,
    others,
    context: { ...context, messageTemplate },
    config: null,
  })
  const { blocks, embeds, attachments } = JSON.parse(body?.toString() ?? '{}')
  const chat = {
    slack: () => blocks.at(-2).text.text,
    discord: () => embeds[0].description,
    teams: () => attachments[0].content.body.at(-1).text,
  }
  return { mail, text, chat: type in chat ? chat[type as keyof typeof chat]() : null }
}

const dialects = {
  slack: '*Logins* fail &amp; `a*b`, see <https://log.example/x_y|log>.\n\n• one\n• two',
  discord: '**Logins** fail & `a*b`, see [log](https://log.example/x_y).\n\n- one\n- two',
  teams: '**Logins** fail & a\\*b, see [log](https://log.example/x_y).\n\n- one\n- two',
} as const
const chats = Object.keys(dialects) as (keyof typeof dialects)[]

t.test('the message of an incident is rendered in the markup of its channel', async (t) => {
  const { mail } = render('email', withMessage(MESSAGE))
  t.match(mail?.html, '<p><strong>Logins</strong> fail &amp; <code>a*b</code>, see <a href="https')
  t.match(mail?.html, '<li>one</li>')
  t.match(mail?.text, `\n${PLAIN}\n`)
  t.match(render('sms', withMessage(MESSAGE)).text, 'API errors. Logins fail & a*b, see log (https')
  for (const type of chats) t.equal(render(type, withMessage(MESSAGE)).chat, dialects[type], type)
})

t.test('a template has the message in the markup of its channel', async (t) => {
  for (const type of chats) {
    const { chat } = render(type, withMessage(MESSAGE), '{{title}}: {{message}}!')
    t.equal(chat, `API errors: ${dialects[type]}!`, type)
  }
  const { mail } = render('email', withMessage(MESSAGE), 'News: {{message}}')
  t.match(mail?.text, `News: ${PLAIN}`)
  t.match(mail?.html, '>News: Logins fail &amp; a*b, see log (<a href="https://log.example/x_y')
  t.match(render('sms', withMessage(MESSAGE), '{{message}}').text, /^Logins fail & a\*b/)
})

t.test('the template of a webhook has the message as written', async (t) => {
  const bodyTemplate = '{"text":"{{message}}"}'
  const config = { url: baseUrl, method: 'POST', headers: {}, bodyTemplate } as const
  const { body } = renderContent('webhook', { event: withMessage(MESSAGE), context, config })
  t.same(JSON.parse(body?.toString() ?? ''), { text: MESSAGE })
})

t.test('a message that is too long for a chat loses its marks, not the end of one', async (t) => {
  const long = `**${'word '.repeat(1_900)}end**`
  for (const type of chats) {
    for (const template of [null, '{{message}}']) {
      const { chat } = render(type, withMessage(long), template)
      t.match(chat, /^word word .*…$/, type)
      t.notMatch(chat, '*', type)
    }
  }
})

t.test('texts of monitors and digests are not parsed', async (t) => {
  const monitor = sampleEvent('monitor.down', now, baseUrl) as SubjectEvent<'monitor'>
  const about = { ...monitor, monitor: { ...monitor.monitor, reason: '*a* __b__' } }
  t.match(render('email', about).mail, {
    html: />\*a\* __b__<\/p>/,
    text: '*a* __b__',
  })
  t.equal(render('slack', about).chat, '*a* __b__')
  const titled = { ...event, incident: { ...event.incident, title: '*a*' } }
  t.match(render('email', titled, null, [titled]).mail, { html: /Investigating: \*a\*/ })
})

t.test('a link in a plain text ends before the punctuation around it', async (t) => {
  const text = 'See "https://a.example/?b=1&c" (https://b.example/x), https://c.example.'
  const { mail } = render('email', event, text)
  const links = [...(mail?.html ?? '').matchAll(/<a href="([^"]*)" rel="nofollow">/g)]
  t.same(
    links.map(([, url]) => url),
    ['https://a.example/?b=1&amp;c', 'https://b.example/x', 'https://c.example'],
  )
})

/** Elements of the frame of a mail and of the Markdown of messages. */
const ELEMENTS =
  /^<(?:!doctype html|html|head|meta|title|style|body|div|h1|table|tr|th|td|p|strong|em|code|pre|ul|ol|li|blockquote|a|br|bdi)(?: |>)/i
const ATTRIBUTES =
  /^<\/?\w+(?: (?:class|dir|style|lang|charset|name|content|rel|scope|start|role|width|align|bgcolor)="[^"]*"| href="(?:https?:\/\/|mailto:)[^"]*")* ?\/?>$/i

const foreignElements = (html: string): string[] =>
  (html.replace(/<style>[^<]*<\/style>/g, '').match(/<[^>]*>?/g) ?? []).filter(
    (tag) =>
      !ELEMENTS.test(tag.replace('</', '<')) ||
      !(ATTRIBUTES.test(tag) || tag === '<!doctype html>'),
  )

t.test('no message becomes markup, a script or a foreign link in a mail', async (t) => {
  for (const source of hostileMarkup) {
    for (const template of [null, '{{message}} {{title}}']) {
      const { mail } = render('email', withMessage(source), template)
      t.same(foreignElements(mail?.html ?? '<none>'), [], encodeURI(source))
    }
  }
})

t.test('no message mentions people in a chat', async (t) => {
  for (const source of ['<!channel>', '<@U1>', '@everyone', '[a](<!here>)', '`<!here>`']) {
    t.notMatch(render('slack', withMessage(source)).chat, /<[!@#]/, source)
    t.notMatch(render('discord', withMessage(source)).chat, /(?<!\\)@everyone/, source)
  }
})

t.test('a mail with the longest message is small enough to be shown whole', async (t) => {
  for (const message of ['"', 'é', '語', '😀', '`a`', 'a\n'].map((text) =>
    text.repeat(25_000 / [...text].length),
  )) {
    const { mail } = render('email', withMessage(message))
    t.ok(Buffer.byteLength(mail?.html ?? '') < 40_000, `${message.slice(0, 3)} as HTML`)
    t.ok(Buffer.byteLength(mail?.text ?? '') < 40_000, `${message.slice(0, 3)} as text`)
  }
})
