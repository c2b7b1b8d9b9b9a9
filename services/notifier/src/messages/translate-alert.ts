/** Alert with title and reason in the language of the reader. */
import type { AlertEventData } from '@status-page/contracts'
import { alertReason, alertTitle } from '@status-page/html/alert-text'
import type { ReaderLanguage } from './language.ts'

export const translateAlert = (
  alert: AlertEventData,
  { tag: locale, time }: ReaderLanguage,
): AlertEventData => ({
  ...alert,
  title: alertTitle(alert, locale),
  reason: alertReason(alert, { locale, time }),
})
