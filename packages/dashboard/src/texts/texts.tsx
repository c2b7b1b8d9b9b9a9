/** Language of the user: its texts, loaded when needed, and formats of times and numbers. */
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { I18nProvider } from 'react-aria-components'
import type { Texts } from './en/index.ts'
import { chooseLocale, chosenLocale, loadTexts } from './language.ts'
import type { LoadedTexts } from './loaded-texts.ts'
import { type DashboardLocale, directionOf, formatLocaleOf } from './locales.ts'
import { fill, type Plural, pluralOf } from './plural.ts'

interface Language {
  locale: DashboardLocale
  /** Language with the region of the browser, which the formats of times and numbers follow. */
  formatLocale: string
  texts: Texts
  formats: Formats
  setLocale(locale: DashboardLocale): void
}

/** Interval of the attempts to load the texts of the chosen language. */
const RETRY_AFTER_MS = 3_000

const LanguageContext = createContext<Language | null>(null)

export const LanguageProvider = ({ children }: { children: ReactNode }) => {
  const [locale, setLocale] = useState(chosenLocale)
  const [shown, setShown] = useState<{ locale: DashboardLocale; loaded: LoadedTexts } | null>(null)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let isCurrent = true
    let timer: ReturnType<typeof setTimeout> | undefined
    loadTexts(locale).then(
      (loaded) => {
        if (isCurrent) setShown({ locale, loaded })
      },
      () => {
        // Until the texts are loaded, there is none that could describe the failure.
        if (isCurrent) timer = setTimeout(() => setAttempt(attempt + 1), RETRY_AFTER_MS)
      },
    )
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [locale, attempt])
  useEffect(() => {
    if (shown === null) return
    document.documentElement.lang = shown.locale
    document.documentElement.dir = directionOf(shown.locale)
  }, [shown])
  const language = useMemo(() => {
    if (shown === null) return null
    const choose = (chosen: DashboardLocale) => {
      chooseLocale(chosen)
      setLocale(chosen)
    }
    const { texts } = shown.loaded
    const formatLocale = formatLocaleOf(shown.locale, navigator.languages)
    return {
      locale: shown.locale,
      formatLocale,
      texts,
      formats: formatsOf(shown.locale, formatLocale, texts),
      setLocale: choose,
    }
  }, [shown])
  if (language === null) return null
  return (
    <LanguageContext value={language}>
      <I18nProvider locale={language.formatLocale}>{children}</I18nProvider>
    </LanguageContext>
  )
}

export const useLanguage = (): Language => {
  const language = use(LanguageContext)
  if (language === null) throw new Error('useLanguage requires a LanguageProvider')
  return language
}

export type { Texts } from './en/index.ts'

export const useTexts = (): Texts => useLanguage().texts

export interface Formats {
  fill: typeof fill
  plural(forms: Plural, count: number): string
  number(value: number): string
  /** Percentage with all its decimals, such as "99.95%". */
  percent(value: number): string
  /** Enumeration, such as "a, b and c". */
  list(values: readonly string[]): string
  /** Facts one after the other, such as "a, b, c". */
  facts(values: readonly string[]): string
  /** Value after its label, such as "a: b". */
  labelled(label: string, value: string): string
  /** Time as it is read today: the hour, and the day if it is another one. */
  time(iso: string): string
  /** Duration from now, such as "in 5 minutes" or "5 minutes ago". */
  fromNow(iso: string, now: number): string
}

/** Decimals of the percentages of the service, none of which is rounded up. */
const PERCENT_DECIMALS = 4

const isolated = (text: string): string => `\u2068${text}\u2069`
const plain = (text: string): string => text

const units = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const

export const useFormats = (): Formats => useLanguage().formats

/** Created once per language: each row of a list would create five Intl objects. */
const formatsOf = (
  locale: DashboardLocale,
  formatLocale: string,
  { joins }: Pick<Texts, 'joins'>,
): Formats => {
  const isRightToLeft = directionOf(locale) === 'rtl'
  const numbers = new Intl.NumberFormat(formatLocale)
  const percents = new Intl.NumberFormat(formatLocale, {
    style: 'percent',
    maximumFractionDigits: PERCENT_DECIMALS,
  })
  const lists = new Intl.ListFormat(formatLocale)
  const relative = new Intl.RelativeTimeFormat(formatLocale, { numeric: 'auto' })
  const hours = new Intl.DateTimeFormat(formatLocale, { timeStyle: 'short' })
  const days = new Intl.DateTimeFormat(formatLocale, { dateStyle: 'medium', timeStyle: 'short' })
  return {
    fill,
    plural: (forms, count) => pluralOf(locale, forms, count),
    number: (value) => numbers.format(value),
    percent: (value) => percents.format(value / 100),
    // Isolated, because names may have the other direction.
    list: (values) => lists.format(values.map(isolated)),
    facts: (values) => values.map(isRightToLeft ? isolated : plain).join(joins.separator),
    labelled: (label, value) => fill(joins.labelled, { label, value }),
    time(iso) {
      const date = new Date(iso)
      const isToday = date.toDateString() === new Date().toDateString()
      return (isToday ? hours : days).format(date)
    },
    fromNow(iso, now) {
      const difference = Date.parse(iso) - now
      const { unit, ms } = units.find((one) => Math.abs(difference) >= one.ms) ?? units[2]
      return relative.format(Math.trunc(difference / ms), unit)
    },
  }
}
