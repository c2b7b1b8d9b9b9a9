/**
 * Language and time zone of a page: its texts, and the formats of times, days, percentages and
 * lists.
 */
import type { Locale } from '@status-page/contracts'
import { html, type Markup } from '@status-page/html'
import { type PageTexts, textsByLocale } from '@status-page/html/texts'
import type { StatusPageRow } from '../tables.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Locales in which visitors may read the page, its own first. */
export const pageLocales = ({
  locale,
  alternateLocales,
}: Pick<StatusPageRow, 'locale' | 'alternateLocales'>): readonly [Locale, ...Locale[]] => [
  locale,
  ...alternateLocales.filter((alternate) => alternate !== locale),
]

export interface PageLanguage {
  locale: Locale
  direction: 'ltr' | 'rtl'
  timezone: string
  texts: PageTexts
  /** Time element: UTC for machines; the script may display it in the visitor's time zone. */
  time(iso: string): Markup
  timeText(iso: string): string
  /** Formats a date like `2026-08-01` with weekday and month name. */
  day(date: string): string
  shortDay(date: string): string
  month(month: string): string
  /** Date in the page's time zone, as `2026-08-01`. */
  dateOf(iso: string): string
  percent(share: number): string
  /** Start of a period, as a date in the page's time zone: `Since Aug 1, 2026`. */
  since(iso: string): string
  days(count: number): string
  daysAgo(count: number): string
  duration(ms: number): string
  /** Value after its label, such as `Uptime: August 2026`. */
  labelled(label: string, value: string): string
  /** Facts one after the other, such as `Monitoring, Aug 1, 2026`; empty ones are omitted. */
  facts(...values: readonly (string | null)[]): string
  list(names: readonly string[]): string
  /** List of names that are isolated from the text direction of the page. */
  nameList(names: readonly string[]): Markup
}

/** Cache, since creating formats takes a hundred times as long as using them. */
const languages = new Map<string, PageLanguage>()
/** Maximum number of cached languages, more than there are time zones. */
const MAX_LANGUAGES = 1_000

export const pageLanguage = (locale: Locale, timezone: string): PageLanguage => {
  const key = `${locale} ${timezone}`
  const known = languages.get(key)
  if (known !== undefined) return known
  const created = createLanguage(locale, timezone)
  if (languages.size >= MAX_LANGUAGES) languages.clear()
  languages.set(key, created)
  return created
}

const createLanguage = (locale: Locale, timezone: string): PageLanguage => {
  const dates = (options: Intl.DateTimeFormatOptions, timeZone: string) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone })
  const moment = dates({ ...momentParts, timeZoneName: 'short' }, timezone)
  const day = dates({ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }, 'UTC')
  const date = dates({ year: 'numeric', month: 'short', day: 'numeric' }, timezone)
  const shortDay = dates({ month: 'short', day: 'numeric' }, 'UTC')
  const month = dates({ year: 'numeric', month: 'long' }, 'UTC')
  const isoDay = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeZone: timezone })
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  const days = new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'long' })
  const ago = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const duration = new Intl.DurationFormat(locale, { style: 'short' })
  const list = new Intl.ListFormat(locale)
  const { direction, statusPage: texts } = textsByLocale[locale]
  const timeText = (iso: string) => moment.format(new Date(iso))
  return {
    locale,
    direction,
    timezone,
    texts,
    time: (iso) => html`<time datetime="${iso}">${timeText(iso)}</time>`,
    timeText,
    day: (date) => day.format(new Date(date)),
    shortDay: (date) => shortDay.format(new Date(date)),
    month: (text) => month.format(new Date(text)),
    dateOf: (iso) => isoDay.format(new Date(iso)),
    percent: (share) => percent.format(share / 100),
    since: (iso) => texts.since.replace('{}', date.format(new Date(iso))),
    days: (count) => days.format(count),
    daysAgo: (count) => ago.format(-count, 'day'),
    duration: (ms) => duration.format(partsOf(ms)),
    labelled: (label, value) => `${label}${texts.joins.colon}${value}`,
    facts: (...values) => values.filter(Boolean).join(texts.joins.comma),
    list: (names) => list.format(names),
    nameList: (names) =>
      html`${list
        .formatToParts(names)
        .map(({ type, value }) => (type === 'element' ? html`<bdi>${value}</bdi>` : value))}`,
  }
}

const momentParts = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
} as const

/** Whole minutes, at least one; durations of a day or more are given in days and hours. */
const partsOf = (ms: number) => {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS)) * MINUTE_MS
  const days = Math.floor(minutes / DAY_MS)
  const hours = Math.floor((minutes % DAY_MS) / HOUR_MS)
  if (days > 0) return { days, hours }
  return { hours, minutes: (minutes % HOUR_MS) / MINUTE_MS }
}
