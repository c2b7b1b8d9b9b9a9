/** Negotiation of the language, by the preferences of the visitor. */
import type { Locale } from '@status-page/contracts'
import t from 'tap'
import { visitorLocale } from './visitor-locale.ts'

t.test('the locale with the highest weight is chosen', async (t) => {
  const cases: [string | undefined, Locale][] = [
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['xx', 'en'],
    ['de', 'de'],
    ['de-AT', 'de'],
    ['DE-at;q=0.9, fr;q=0.8', 'de'],
    ['de;q=0.1, fr;q=0.9', 'fr'],
    ['xx, ja;q=0.5, *;q=0.1', 'ja'],
    ['en;q=0, de;q=0.1', 'de'],
    ['de;q=0, fr;q=0', 'en'],
    ['pt-BR,pt;q=0.9,es;q=0.8,en;q=0.7', 'es'],
    ['not a header;;q=,,', 'en'],
  ]
  for (const [header, locale] of cases) t.equal(visitorLocale(header), locale, String(header))
})

t.test('only available locales are chosen, the first one by default', async (t) => {
  t.equal(visitorLocale('de, fr', ['ja', 'fr']), 'fr')
  t.equal(visitorLocale('de', ['ja', 'fr']), 'ja')
  t.equal(visitorLocale('*', ['ja', 'fr']), 'ja')
  t.equal(visitorLocale('de', ['ja']), 'ja')
})

t.test('only the beginning of a long header is evaluated', async (t) => {
  const long = Array.from({ length: 4_000 }, (_, index) => `x${index};q=0.${index % 10}`).join(',')
  t.equal(visitorLocale(`${long}, de`), 'en')
})
