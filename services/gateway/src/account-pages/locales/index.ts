/**
 * Texts of the account pages by locale. The list of locales in the contract names the files; a
 * missing file ends the start of the service.
 */
import { type Locale, locales } from '@status-page/contracts'
import type { AccountTexts } from './account-texts.ts'

export type { AccountTexts, FormField } from './account-texts.ts'

const load = async (locale: Locale) => [locale, (await import(`./${locale}.ts`))[locale]] as const

export const textsByLocale = Object.fromEntries(await Promise.all(locales.map(load))) as Readonly<
  Record<Locale, AccountTexts>
>
