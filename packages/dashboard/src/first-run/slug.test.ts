/** Proposed slugs satisfy the pattern of the contract, or are empty. */
import t from 'tap'
import { slugOf } from './slug.ts'

const cases: [string, string][] = [
  ['Acme', 'acme'],
  ['Café & Söhne GmbH', 'cafe-sohne-gmbh'],
  ['  --x--  ', 'x'],
  ['日本語', ''],
  ['<b>Acme</b>', 'b-acme-b'],
  ['a'.repeat(80), 'a'.repeat(63)],
]

for (const [name, slug] of cases) {
  t.test(name.slice(0, 20), async (t) => {
    t.equal(slugOf(name), slug)
  })
}
