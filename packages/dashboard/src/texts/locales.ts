/** Languages of the dashboard. */
import type { Locale } from '@status-page/contracts'

/** Name of each language in itself. */
export const localeNames: Record<Locale, string> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ja: '日本語',
  ar: 'العربية',
}

export const locales = Object.keys(localeNames) as Locale[]

export const directionOf = (locale: Locale): 'ltr' | 'rtl' => (locale === 'ar' ? 'rtl' : 'ltr')
