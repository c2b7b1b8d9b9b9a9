/** Every language says everything, with the same values in it, and in a text message that is short enough. */

import type { ConfirmationRequested } from '@status-page/contracts'
import { locales } from '@status-page/contracts'
import t from 'tap'
import { confirmationMail, confirmationText } from './confirmation.ts'
import { type Language, languages } from './language.ts'
import { en } from './languages/en.ts'

/** What a phrase is asked with: words that no phrase has of itself, and numbers of each plural. */
const words = ['Quux', 'Xyzzy']
const counts = [0, 1, 2, 3, 7, 11, 59, 60, 125]
const COUNTED = new Set(['coveredUpdates', 'several', 'andMore', 'lasted'])

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
const english = phrasesOf(en)

for (const locale of locales) {
  const language: Language = languages[locale]

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

t.test('phrases differ from English, but for words that are the same', async (t) => {
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

const question = {
  ...{ purpose: 'confirm', pageName: 'Acme <b>', expiresAt: '2026-01-02T03:04:05.000Z' },
  subscriber: { email: 'reader@example.com' },
} as ConfirmationRequested

t.test(
  'a question is asked in the language of the page, right to left where that is so',
  async (t) => {
    for (const locale of locales) {
      const language = languages[locale]
      const context = {
        ...{ baseUrl: 'https://status.example.com', organizationName: 'Acme', token: 'tok' },
        language,
      }
      const mail = confirmationMail(question, context)
      t.equal(mail.subject, language.confirmation.subject('Acme <b>'))
      t.match(mail.html, `<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}">`)
      t.notMatch(mail.html, 'Acme <b>', 'names are text')
      t.match(mail.text, 'https://status.example.com/subscriptions/confirm/tok')
      t.match(mail.text, '2026-01-02 03:04 UTC')
      t.match(confirmationText(question, context), / https:\/\/\S+\/tok$/)
      const known = confirmationMail({ ...question, purpose: 'manage' }, context)
      t.equal(known.subject, language.confirmation.knownSubject('Acme <b>'))
    }
  },
)
