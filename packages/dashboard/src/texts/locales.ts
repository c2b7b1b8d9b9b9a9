/** Languages of the dashboard, which need not be those of pages and mails. */
import type { LanguageTexts } from './en/index.ts'

interface DashboardLanguage {
  /** Name of the language in itself. */
  name: string
  load(): Promise<LanguageTexts>
}

export const languages = {
  en: { name: 'English', load: async () => (await import('./en/index.ts')).en },
  de: { name: 'Deutsch', load: async () => (await import('./de/index.ts')).de },
  fr: { name: 'Français', load: async () => (await import('./fr/index.ts')).fr },
  es: { name: 'Español', load: async () => (await import('./es/index.ts')).es },
  ja: { name: '日本語', load: async () => (await import('./ja/index.ts')).ja },
  ar: { name: 'العربية', load: async () => (await import('./ar/index.ts')).ar },
} satisfies Record<string, DashboardLanguage>

export type DashboardLocale = keyof typeof languages

export const dashboardLocales = Object.keys(languages) as DashboardLocale[]

export const directionOf = (locale: DashboardLocale): 'ltr' | 'rtl' =>
  locale === 'ar' ? 'rtl' : 'ltr'

/** First language of a browser that is a regional variant of `locale`, such as `en-GB`. */
export const formatLocaleOf = (locale: DashboardLocale, tags: readonly string[]): string =>
  tags.find((tag) => tag.split('-', 1)[0] === locale) ?? locale
