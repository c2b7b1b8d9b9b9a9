/** Every language has every text, with the same placeholders and the plural forms of the language. */
import t from 'tap'
import { ar } from './ar/index.ts'
import { de } from './de/index.ts'
import { en } from './en/index.ts'
import { es } from './es/index.ts'
import { fr } from './fr/index.ts'
import { ja } from './ja/index.ts'
import { locales } from './locales.ts'
import { fill, pluralOf } from './plural.ts'

const languages = { en, de, fr, es, ja, ar }

type Leaf = [path: string, value: string | Record<string, string>]

const isPlural = (value: object) => 'other' in value && !('blocked' in value)

const leavesOf = (value: object, path = ''): Leaf[] =>
  Object.entries(value).flatMap(([name, inner]): Leaf[] => {
    const at = `${path}.${name}`
    if (typeof inner === 'string' || isPlural(inner)) return [[at, inner]]
    return leavesOf(inner, at)
  })

const placeholdersOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()

for (const locale of locales) {
  t.test(`${locale} has the texts and placeholders of English`, async (t) => {
    const own = new Map(leavesOf(languages[locale]))
    const model = leavesOf(en)
    t.same(
      [...own.keys()],
      model.map(([path]) => path),
    )
    for (const [path, text] of model) {
      const translated = own.get(path)
      if (typeof text !== 'string' || typeof translated !== 'string') continue
      t.not(translated, '', path)
      t.same(placeholdersOf(translated), placeholdersOf(text), path)
    }
  })

  t.test(`${locale} forms plurals`, async (t) => {
    for (const count of [0, 1, 2, 3, 11, 100]) {
      const text = pluralOf(locale, languages[locale].overview.disrupted, count)
      t.notMatch(text, /[{}]/, `${count}`)
    }
  })
}

t.test('values are inserted as they are, unknown placeholders remain', async (t) => {
  t.equal(fill('{a} and {b}', { a: '$& {b}' }), '$& {b} and {b}')
})
