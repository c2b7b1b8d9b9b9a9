/**
 * Texts of the pages by locale. The list of locales in the contract names the files, so that a
 * language is added without a registry; a missing file ends the start of the service.
 */
import { type Locale, locales } from '@status-page/contracts'
import type { DocumentLanguage } from '../standalone-page.ts'
import type { LocaleTexts } from './locale-texts.ts'

export type { AccountTexts, FormField } from './account-texts.ts'
export type { PageTexts } from './page-texts.ts'

const load = async (locale: Locale) => [locale, (await import(`./${locale}.ts`))[locale]] as const

export const textsByLocale = Object.fromEntries(await Promise.all(locales.map(load))) as Readonly<
  Record<Locale, LocaleTexts>
>

/** Language and text direction of a document. */
export const documentLanguage = (locale: Locale): DocumentLanguage => ({
  locale,
  direction: textsByLocale[locale].direction,
})
