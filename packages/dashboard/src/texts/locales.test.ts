/** Formats of times and numbers for a language and the region of the browser. */
import t from 'tap'
import { formatLocaleOf } from './locales.ts'

t.test('formats follow the region of the browser in the chosen language', async (t) => {
  t.equal(formatLocaleOf('en', ['de-DE', 'en-GB', 'en-US']), 'en-GB')
  t.equal(formatLocaleOf('de', ['en-GB']), 'de')
})
