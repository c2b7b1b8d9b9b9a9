/** Times of messages have the language and the time zone of the page. */
import { locales } from '@status-page/contracts'
import t from 'tap'
import { readerLanguage } from './reader-language.ts'

const at = new Date('2026-07-02T22:04:05.000Z')

t.test('a time has the language, the zone and the name of the zone', async (t) => {
  const timeOf = (...[locale, zone]: Parameters<typeof readerLanguage>) =>
    readerLanguage(locale, zone).time(at)
  t.equal(timeOf('en', 'UTC'), 'Jul 2, 2026, 10:04 PM UTC')
  t.equal(timeOf('en', 'America/New_York'), 'Jul 2, 2026, 06:04 PM EDT')
  t.equal(timeOf('de', 'Europe/Berlin'), '3. Juli 2026, 00:04 MESZ')
  t.equal(timeOf('ja', 'Asia/Tokyo'), '2026年7月3日 07:04 JST')
  for (const locale of locales) t.notMatch(timeOf(locale, 'Asia/Riyadh'), /[\u2009\u202f]/, locale)
})

t.test('a period names the second date and the second zone only where they differ', async (t) => {
  const periodOf = (from: string, until: string) =>
    readerLanguage('en', 'America/New_York').period(new Date(from), new Date(until))
  t.equal(periodOf('2026-07-02T13:00:00Z', '2026-07-02T15:30:00Z'), '2026-07-02 09:00-11:30 EDT')
  t.equal(
    periodOf('2026-07-03T03:00:00Z', '2026-07-03T05:00:00Z'),
    '2026-07-02 23:00 - 2026-07-03 01:00 EDT',
  )
  t.equal(
    periodOf('2026-11-01T05:30:00Z', '2026-11-01T08:00:00Z'),
    '2026-11-01 01:30 EDT - 2026-11-01 03:00 EST',
  )
})
