/** Slugs have the characters of the contract, or are empty. */
import t from 'tap'
import { slugFrom } from './slug.ts'

const cases: [string, string][] = [
  ['Acme', 'acme'],
  ['Café & Söhne GmbH', 'cafe-sohne-gmbh'],
  ['Größe', 'grosse'],
  ['STRAẞE', 'strasse'],
  ['Æsop Œuvre Øresund', 'aesop-oeuvre-oresund'],
  ['Łódź Đà Nẵng Þór', 'lodz-da-nang-thor'],
  ['İstanbul Iğdır', 'istanbul-igdir'],
  ['  --x--  ', 'x'],
  ['日本語', ''],
  ['<b>Acme</b>', 'b-acme-b'],
  ['a'.repeat(80), 'a'.repeat(63)],
  [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
]

for (const [name, slug] of cases) {
  t.test(name.slice(0, 20), async (t) => {
    t.equal(slugFrom(name), slug)
  })
}
