/** Every language has every text, with the same placeholders and the plural forms of the language. */
import t from 'tap'
import { ar } from './ar/index.ts'
import { de } from './de/index.ts'
import { en, type LanguageTexts } from './en/index.ts'
import { es } from './es/index.ts'
import { fr } from './fr/index.ts'
import { ja } from './ja/index.ts'
import { LoadedTexts } from './loaded-texts.ts'
import { type DashboardLocale, dashboardLocales } from './locales.ts'
import { fill, pluralOf } from './plural.ts'

const languages: Record<DashboardLocale, LanguageTexts> = { en, de, fr, es, ja, ar }

type Leaf = [path: string, value: string | Record<string, string>]

const isPlural = (value: object) => 'other' in value && !('blocked' in value)

const leavesOf = (value: object, path = ''): Leaf[] =>
  Object.entries(value).flatMap(([name, inner]): Leaf[] => {
    const at = `${path}.${name}`
    if (typeof inner === 'string' || isPlural(inner)) return [[at, inner]]
    return leavesOf(inner, at)
  })

/** Leaves of the frame and of all areas. */
const leavesOfLanguage = async ({ frame, areas }: LanguageTexts): Promise<Leaf[]> => {
  const entries = Object.entries(areas).map(async ([name, load]) => [name, await load()] as const)
  return leavesOf({ ...frame, ...Object.fromEntries(await Promise.all(entries)) })
}

const placeholdersOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort().join()

for (const locale of dashboardLocales) {
  t.test(`${locale} has the texts and placeholders of English`, async (t) => {
    const own = new Map(await leavesOfLanguage(languages[locale]))
    const model = await leavesOfLanguage(en)
    t.same(
      [...own.keys()],
      model.map(([path]) => path),
    )
    const isDifferent = ([path, text]: Leaf) => {
      const translated = own.get(path)
      if (typeof text !== 'string' || typeof translated !== 'string') return false
      return translated === '' || placeholdersOf(translated) !== placeholdersOf(text)
    }
    const different = model.filter(isDifferent)
    t.same(
      different.map(([path]) => path),
      [],
    )
  })

  t.test(`${locale} forms plurals`, async (t) => {
    for (const count of [0, 1, 2, 3, 11, 100]) {
      const text = pluralOf(locale, languages[locale].frame.overview.disrupted, count)
      t.notMatch(text, /[{}]/, `${count}`)
    }
  })
}

/** Texts of the language, and each form of its plurals. */
const textsOf = async (locale: DashboardLocale): Promise<string[]> => {
  const leaves = await leavesOfLanguage(languages[locale])
  return leaves.flatMap(([, text]) => (typeof text === 'string' ? text : Object.values(text)))
}

t.test('French has a no-break space before double punctuation', async (t) => {
  const header = 'Authorization: Bearer'
  const texts = (await textsOf('fr')).filter((text) => !text.includes(header))
  const isBreakable = (text: string) => /[^\u00a0][:;?!»](?=[\s.,)]|$)|«(?!\u00a0)/.test(text)
  t.same(texts.filter(isBreakable), [])
})

t.test('Arabic has its own comma, semicolon and question mark', async (t) => {
  const texts = await textsOf('ar')
  t.same(
    texts.filter((text) => /\p{Script=Arabic}[,;?]/u.test(text)),
    [],
  )
})

t.test('values are inserted as they are, unknown placeholders remain', async (t) => {
  t.equal(fill('{a} and {b}', { a: '$& {b}' }), '$& {b} and {b}')
})

t.test(
  'an area is read once it is loaded; others are no part of a copy of the texts',
  async (t) => {
    const loaded = new LoadedTexts(en)
    await loaded.load(['onCall'])
    t.equal(loaded.texts.onCall.title, (await en.areas.onCall()).title)
    t.notOk('onCall' in { ...loaded.texts })
    t.equal({ ...loaded.texts }.product, en.frame.product)
  },
)

t.test('an area whose load failed is loaded again', async (t) => {
  let failures = 1
  const access = async () => {
    if (failures-- > 0) throw new Error('offline')
    return en.areas.access()
  }
  const loaded = new LoadedTexts({ ...en, areas: { ...en.areas, access } })
  await t.rejects(loaded.load(['access']), { cause: { message: 'offline' } })
  await loaded.load(['access'])
  t.equal(loaded.texts.access, await en.areas.access())
})
