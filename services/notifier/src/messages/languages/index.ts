/**
 * Languages of messages, one file each. The list of locales in the contract names the files, so that
 * a language is added without a registry; a missing file ends the start of the service.
 */
import { type Locale, locales } from '@status-page/contracts'
import type { MessageLanguage } from '../language.ts'

const load = async (locale: Locale) => [locale, (await import(`./${locale}.ts`))[locale]] as const

export const languages = Object.fromEntries(await Promise.all(locales.map(load))) as Readonly<
  Record<Locale, MessageLanguage>
>
