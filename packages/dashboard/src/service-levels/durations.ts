/** Durations in words. */
import { useLanguage } from '../texts/texts.tsx'
import { partsOf } from './duration-parts.ts'

/** Formats seconds, such as "1 day, 2 hr" or "-3 min". */
export const useDurationText = (): ((seconds: number) => string) => {
  const { formatLocale: locale } = useLanguage()
  const lists = new Intl.ListFormat(locale, { type: 'unit', style: 'short' })
  return (seconds) => {
    const parts = partsOf(Math.abs(seconds)).map(({ value, unit }) =>
      new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(value),
    )
    const text = lists.format(parts)
    return seconds < 0 ? `\u2212${text}` : text
  }
}
