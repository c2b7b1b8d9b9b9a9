/** Page texts by locale; a locale of the contract without a translation does not compile. */
import type { Locale } from '@status-page/contracts'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import type { PageTexts } from './page-texts.ts'

export type { PageTexts } from './page-texts.ts'

export const textsByLocale: Record<Locale, PageTexts> = { en, de, fr, es, ja, ar }
