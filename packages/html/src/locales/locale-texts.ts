/** Texts of the pages in one language; `{}` is the placeholder of a name, a time or a number. */
import type { AccountTexts } from './account-texts.ts'
import type { AlertTexts } from './alert-texts.ts'
import type { PageTexts } from './page-texts.ts'

export interface LocaleTexts {
  direction: 'ltr' | 'rtl'
  statusPage: PageTexts
  accountPages: AccountTexts
  alerts: AlertTexts
}
