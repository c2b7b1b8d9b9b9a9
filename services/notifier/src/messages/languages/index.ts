/** Languages of messages, one file each. */
import type { Locale } from '@status-page/contracts'
import type { MessageLanguage } from '../language.ts'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'

export const languages = { en, de, fr, es, ja, ar } satisfies Record<Locale, MessageLanguage>

/** Language of messages without a page. */
export const defaultLanguage: MessageLanguage = languages.en
