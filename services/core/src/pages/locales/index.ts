/** The translations that are shipped; a locale of the contract without one does not compile. */
import type { Locale } from '@status-page/contracts'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import type { Wording } from './wording.ts'

export type { Wording } from './wording.ts'

export const wordings: Record<Locale, Wording> = { en, de, fr, es, ja, ar }
