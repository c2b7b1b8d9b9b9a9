/** Languages of the dashboard. */
import type { Locale } from '@status-page/contracts'
import type { LanguageTexts } from './en/index.ts'

interface DashboardLanguage {
  /** Name of the language in itself. */
  name: string
  load(): Promise<LanguageTexts>
}

export const languages: Record<Locale, DashboardLanguage> = {
  en: { name: 'English', load: async () => (await import('./en/index.ts')).en },
  de: { name: 'Deutsch', load: async () => (await import('./de/index.ts')).de },
  fr: { name: 'Français', load: async () => (await import('./fr/index.ts')).fr },
  es: { name: 'Español', load: async () => (await import('./es/index.ts')).es },
  ja: { name: '日本語', load: async () => (await import('./ja/index.ts')).ja },
  ar: { name: 'العربية', load: async () => (await import('./ar/index.ts')).ar },
}

export const locales = Object.keys(languages) as Locale[]

export const directionOf = (locale: Locale): 'ltr' | 'rtl' => (locale === 'ar' ? 'rtl' : 'ltr')

/** First language of a browser that is a regional variant of `locale`, such as `en-GB`. */
export const formatLocaleOf = (locale: Locale, tags: readonly string[]): string =>
  tags.find((tag) => tag.split('-', 1)[0] === locale) ?? locale
