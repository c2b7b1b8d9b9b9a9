/** Languages of messages with the time zone of their readers. */
import type { Locale } from '@status-page/contracts'
import { LRUCache } from 'lru-cache'
import type { ReaderLanguage } from './language.ts'
import { languages } from './languages/index.ts'

/** Cache, because creating a format takes a hundred times as long as using it. */
const known = new LRUCache<string, ReaderLanguage>({ max: 500 })

export const readerLanguage = (locale: Locale, timeZone: string): ReaderLanguage => {
  const key = `${locale} ${timeZone}`
  const language = known.get(key) ?? createReaderLanguage(locale, timeZone)
  known.set(key, language)
  return language
}

/** Format of times as on status pages. */
const timeParts = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
} as const

const createReaderLanguage = (locale: Locale, timeZone: string): ReaderLanguage => {
  const time = new Intl.DateTimeFormat(locale, { ...timeParts, timeZone })
  return {
    ...languages[locale],
    // Many fonts and the alphabet of text messages lack narrow spaces.
    time: (at) => time.format(at).replaceAll(/[\u2009\u202f]/g, ' '),
    period: periodFormat(timeZone),
  }
}

/** Length of the date in a time such as `2026-01-02 03:04`. */
const DATE_LENGTH = '2026-01-02'.length

/** Format of periods; the end has a date or a time zone of its own only where they differ. */
const periodFormat = (timeZone: string): ReaderLanguage['period'] => {
  const iso = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'short', timeZone })
  const zone = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'short' })
  const zoneOf = (at: Date) =>
    zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
  return (from, until) => {
    const [start, end] = [iso.format(from), iso.format(until)]
    const [startZone, endZone] = [zoneOf(from), zoneOf(until)]
    if (startZone !== endZone) return `${start} ${startZone} - ${end} ${endZone}`
    return end.startsWith(start.slice(0, DATE_LENGTH))
      ? `${start}-${end.slice(DATE_LENGTH).trimStart()} ${endZone}`
      : `${start} - ${end} ${endZone}`
  }
}

/** Language of messages without a page. */
export const defaultLanguage = readerLanguage('en', 'UTC')
