/** Ranges of times in a time zone, such as the window of a maintenance. */
import { useLanguage } from '../texts/texts.tsx'

/** Formats a range of times, such as "Tue, 9 Mar, 22:00 – 23:00". */
export const useWindowText = (timeZone?: string): ((from: string, until: string) => string) => {
  const { formatLocale: locale } = useLanguage()
  const format = new Intl.DateTimeFormat(locale, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  })
  return (from, until) => format.formatRange(new Date(from), new Date(until))
}
