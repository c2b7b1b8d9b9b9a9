/** Times with their seconds: several checks or pings can occur within a minute. */
import { useMemo } from 'react'
import { useLanguage } from '../texts/texts.tsx'

/** Formats the time, and the day if it is not today. */
export const usePreciseTime = (): ((iso: string) => string) => {
  const { formatLocale: locale } = useLanguage()
  return useMemo(() => {
    const hours = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' })
    const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
    const today = new Date().toDateString()
    return (iso) => {
      const date = new Date(iso)
      return (date.toDateString() === today ? hours : days).format(date)
    }
  }, [locale])
}
