/** Text messages have at most two segments and a complete link. */
import { locales } from '@status-page/contracts'
import fc from 'fast-check'
import t from 'tap'
import type { MessageContext } from './context.ts'
import { toMessageContent } from './message-content.ts'
import { readerLanguage } from './reader-language.ts'
import { sampleEvent } from './sample.ts'
import { eventText, smsText } from './sms-text.ts'
import type { SubjectEvent } from './webhook-body.ts'

const LINK = 'https://status.example.com/status/acme/incidents/019a3c5e-7b1f-7c2a-9d4e-0000000000d1'
const MAX_GSM = 306
const MAX_UCS2 = 134

t.test('a text that fits stays unchanged', async (t) => {
  t.equal(
    smsText('[Acme] Investigating: API errors', LINK),
    `[Acme] Investigating: API errors ${LINK}`,
  )
  t.equal(smsText('[Acme] Hello', ''), '[Acme] Hello')
})

t.test(
  'typographic characters are replaced, since they would halve the available length',
  async (t) => {
    t.equal(smsText('“API” — it’s down…', ''), '"API" - it\'s down...')
  },
)

t.test('extended characters take two septets', async (t) => {
  const text = smsText('€'.repeat(200), '')
  t.equal(text, `${'€'.repeat(151)}...`)
})

t.test('no text is longer than two segments, and every text has its link', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
      const message = smsText(text, LINK)
      t.ok(message.endsWith(` ${LINK}`))
      t.ok(message.isWellFormed() || !text.isWellFormed())
      t.ok(message.length <= MAX_GSM)
      if (
        /[^\p{ASCII}]/u.test(message.replaceAll(/[£¥èéùìòÇØøÅåΔΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿äöñüà€]/g, ''))
      ) {
        t.ok(message.length <= MAX_UCS2, message)
      }
    }),
  )
})

const at = new Date('2026-01-02T04:00:00.000Z')
const contexts = locales.map(
  (locale): MessageContext => ({
    senderName: 'Acme '.repeat(20).trim(),
    appearance: null,
    baseUrl: 'https://status.example.com',
    coveredUpdates: 0,
    sequence: 1,
    language: readerLanguage(locale, 'UTC'),
    messageTemplate: null,
    reader: { kind: 'channel', channelName: 'SMS' },
  }),
)
const long = { title: 'Tiefe Wartung '.repeat(18), message: 'Kurz. '.repeat(4_000) }
const maintenance = (kind: 'maintenance.scheduled' | 'maintenance.updated', change: object) => {
  const event = sampleEvent(kind, at, 'https://status.example.com') as SubjectEvent<'maintenance'>
  return { ...event, maintenance: { ...event.maintenance, url: LINK, ...change } }
}

t.test('a maintenance names its window in every language, however long its title', async (t) => {
  const overnight = { scheduledFor: '2026-01-02T23:30:00Z', scheduledUntil: '2026-01-03T01:00:00Z' }
  for (const context of contexts) {
    for (const kind of ['maintenance.scheduled', 'maintenance.updated'] as const) {
      const text = eventText(toMessageContent(maintenance(kind, long), context.language), context)
      t.match(text, '2026-01-02 03:00-05:00 UTC', context.language.tag)
      const other = maintenance(kind, { ...long, ...overnight })
      const night = eventText(toMessageContent(other, context.language), context)
      t.match(night, '2026-01-02 23:30 - 2026-01-03 01:00 UTC', context.language.tag)
      t.ok(text.length <= MAX_GSM && night.length <= MAX_GSM)
    }
  }
})

t.test('an incident links to its own page in every language and with any template', async (t) => {
  const event = sampleEvent(
    'incident.updated',
    at,
    'https://status.example.com',
  ) as SubjectEvent<'incident'>
  const incident = { ...event.incident, ...long, url: LINK }
  for (const context of contexts) {
    const content = toMessageContent({ ...event, incident }, context.language)
    for (const template of [null, '{{title}}', '{{message}} {{url}}', 'See {{url}}: {{title}}']) {
      const text = eventText(content, { ...context, messageTemplate: template })
      t.equal(text.split(LINK).length, 2, `${context.language.tag} ${template}`)
      t.ok(text.length <= MAX_GSM)
    }
  }
})

t.test('an incident states its headline in every language, however long the sender', async (t) => {
  const event = sampleEvent(
    'incident.updated',
    at,
    'https://status.example.com',
  ) as SubjectEvent<'incident'>
  const incident = { ...event.incident, title: 'Störung 🚨', url: LINK }
  for (const context of contexts) {
    const content = toMessageContent({ ...event, incident }, context.language)
    const text = eventText(content, context)
    t.match(text, smsText(content.headline, ''), context.language.tag)
    t.ok(text.endsWith(` ${LINK}`) && text.length <= MAX_UCS2)
  }
})
