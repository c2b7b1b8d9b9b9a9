/** Every language has all phrases with the same values, and its text messages are short enough. */
import type { AlertEventData, ConfirmationRequested } from '@status-page/contracts'
import { locales } from '@status-page/contracts'
import t from 'tap'
import { accountMail } from './account-mail.ts'
import { alertMail } from './alert-mail.ts'
import { confirmationMail, confirmationText } from './confirmation.ts'
import type { MessageLanguage, ReaderLanguage } from './language.ts'
import { languages } from './languages/index.ts'
import { readerLanguage } from './reader-language.ts'
import { suppressionMail } from './suppression-mail.ts'

/** Arguments of phrases: words that no phrase contains, and a number of each plural form. */
const words = ['Quux', 'Xyzzy']
const counts = [0, 1, 2, 3, 7, 11, 59, 60, 125]
const COUNTED = new Set([
  'coveredUpdates',
  'several',
  'andMore',
  'lasted',
  'alert.times',
  'ended.subject',
])

interface Phrase {
  path: string
  said: unknown
}

const phrasesOf = (phrases: object, path = ''): Phrase[] =>
  Object.entries(phrases).flatMap(([name, value]): Phrase[] =>
    typeof value === 'object' && value !== null
      ? phrasesOf(value, `${path}${name}.`)
      : [{ path: `${path}${name}`, said: value }],
  )

const nameOf = ({ path }: Phrase) => path
const english = phrasesOf(languages.en)

for (const locale of locales) {
  const language: MessageLanguage = languages[locale]

  t.test(`${locale} has every phrase, and none is empty`, async (t) => {
    t.equal(language.tag, locale)
    const phrases = phrasesOf(language)
    t.same(phrases.map(nameOf).sort(), english.map(nameOf).sort())
    for (const { path, said } of phrases) {
      if (typeof said === 'string') t.match(said, /\S/, path)
    }
  })

  t.test(`${locale} puts the same values into its phrases`, async (t) => {
    for (const { path, said } of phrasesOf(language)) {
      if (typeof said !== 'function') continue
      if (COUNTED.has(path)) {
        for (const count of counts) t.match(said(count), /\S/, `${path} ${count}`)
        t.match(path === 'lasted' ? said(59) : said(7), path === 'lasted' ? /59/ : /7/, path)
      } else {
        const given = words.slice(0, said.length)
        const text: string = said(...given)
        for (const word of given) t.ok(text.includes(word), `${path}: ${text}`)
      }
    }
  })
}

t.test('phrases differ from English, except for identical words', async (t) => {
  for (const locale of locales.filter((one) => one !== 'en')) {
    const others = new Map(phrasesOf(languages[locale]).map(({ path, said }) => [path, said]))
    const same = english.filter(
      ({ path, said }) => typeof said === 'string' && others.get(path) === said,
    )
    t.ok(same.length < english.length / 10, `${locale}: ${same.map(nameOf).join(', ')}`)
  }
})

t.test('HELP is answered within one text message', async (t) => {
  for (const locale of locales) {
    const text = languages[locale].textHelp('Example Cloud')
    t.match(text, /STOP/)
    t.match(text, /START/)
    t.ok(text.length <= 153, `${locale}: ${text.length}`)
  }
})

const confirmationRequest = {
  purpose: 'confirm',
  pageName: 'Acme <b>',
  expiresAt: '2026-01-02T03:04:05.000Z',
  subscriber: { email: 'reader@example.com' },
} as ConfirmationRequested

t.test('a confirmation request uses the language and direction of the page', async (t) => {
  for (const locale of locales) {
    const language = readerLanguage(locale, 'UTC')
    const context = {
      baseUrl: 'https://status.example.com',
      senderName: 'Acme',
      appearance: null,
      token: 'tok',
      language,
    }
    const mail = confirmationMail(confirmationRequest, context)
    t.equal(mail.subject, language.confirmation.subject('Acme <b>'))
    t.match(mail.html, `<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}">`)
    t.notMatch(mail.html, 'Acme <b>', 'names are text')
    t.match(mail.text, 'https://status.example.com/subscriptions/confirm/tok')
    t.match(mail.text, language.time(new Date(at)))
    t.match(confirmationText(confirmationRequest, context), / https:\/\/\S+\/tok$/)
    const known = confirmationMail({ ...confirmationRequest, purpose: 'manage' }, context)
    t.equal(known.subject, language.confirmation.knownSubject('Acme <b>'))
  }
})

const at = '2026-01-02T03:04:05.000Z'
const alert: AlertEventData = {
  id: 'a1',
  status: 'triggered',
  title: 'API <b> is down',
  severity: 'critical',
  source: 'monitor',
  componentId: null,
  incidentId: null,
  reason: 'HTTP 503',
  details: null,
  since: at,
  schedule: { id: 's1', name: 'Primary' },
  url: 'https://status.example.com/i/1',
  count: 7,
  escalationLevel: 1,
  escalatesAt: at,
  noResponder: false,
  triggeredAt: at,
  acknowledgedAt: null,
  acknowledgedBy: null,
  resolvedAt: null,
  assigned: [],
  recipients: [],
  channelIds: [],
}

/** Values that each mail must contain. */
const personal = (language: ReaderLanguage) => {
  const context = { baseUrl: 'https://status.example.com', organizationName: 'Acme', language }
  const about = { email: 'ana@example.com', name: 'Ana', userId: null }
  const invitation = { organizationName: 'Acme <b>', invitedBy: null, sealedToken: '' }
  const ended = { kind: 'subscriber', type: 'email', channel: null, at } as const
  return [
    {
      mail: accountMail(
        { kind: 'account.invited', data: { ...about, ...invitation, expiresAt: at } },
        { ...context, token: 'tok' },
      ),
      holds: [/^https:\/\/status\.example\.com\/invitations\/tok$/m],
    },
    {
      mail: accountMail(
        {
          kind: 'account.verification-requested',
          data: { ...about, userId: 'u1', sealedToken: '', expiresAt: at },
        },
        { ...context, token: 'tok' },
      ),
      holds: [/^https:\/\/status\.example\.com\/confirm-email\/tok$/m],
    },
    {
      mail: accountMail(
        { kind: 'account.test-requested', data: { ...about, userId: 'u1', expiresAt: at } },
        { ...context, token: null },
      ),
      holds: [language.account.test.line],
    },
    {
      mail: accountMail(
        {
          kind: 'account.warned',
          data: { ...about, userId: 'u1', warning: 'emergency_login', ipAddress: null, at },
        },
        { ...context, token: null },
      ),
      holds: [language.account.warned.unknownPlace, language.time(new Date(at))],
    },
    {
      mail: alertMail(
        { kind: 'oncall.escalated', alert },
        { ...context, actionUrl: 'https://status.example.com/actions/tok' },
      ),
      holds: [
        language.link(language.respond, 'https://status.example.com/actions/tok'),
        /HTTP 503/,
        language.alert.times(7),
      ],
    },
    {
      mail: suppressionMail(
        { ended: [{ ...ended, label: 'b…@<b>', reason: 'hard_bounce' }], others: 3 },
        context,
      ),
      holds: [
        new RegExp(`[(（]\\W?${language.ended.types.email}\\W?[)）]`),
        language.ended.reasons.hard_bounce,
        /3/,
        language.ended.remedy,
      ],
    },
  ]
}

t.test('mail to people with an account is in one language from top to bottom', async (t) => {
  const subjects = new Set<string>()
  for (const locale of locales) {
    for (const { mail, holds } of personal(readerLanguage(locale, 'UTC'))) {
      subjects.add(mail.subject)
      t.match(mail.html, `<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}">`)
      t.notMatch(mail.html, '<b>', 'names are text')
      for (const part of holds) t.match(mail.text, part)
    }
  }
  t.equal(subjects.size, 6 * locales.length, 'no two languages are equal')
})
