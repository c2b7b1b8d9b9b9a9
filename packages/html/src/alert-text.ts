/** Title and reason of on-call alerts in the language of their readers. */
import type { AlertDetails, Locale } from '@status-page/contracts'
import { textsByLocale } from './locales/index.ts'

export interface AlertReader {
  locale: Locale
  time(at: Date): string
}

interface DescribedAlert {
  title: string
  reason: string | null
  details: AlertDetails | null
}

export const alertTitle = (
  { title, details }: Pick<DescribedAlert, 'title' | 'details'>,
  locale: Locale,
): string =>
  details === null ? title : fill(textsByLocale[locale].alerts.titles[details.event], details.name)

export const alertReason = (
  { reason, details }: Pick<DescribedAlert, 'reason' | 'details'>,
  reader: AlertReader,
): string | null => (details === null ? reason : (describedReason(details, reader) ?? reason))

/** Null for events whose reason is that of a check. */
const describedReason = (details: AlertDetails, reader: AlertReader): string | null => {
  const { alerts } = textsByLocale[reader.locale]
  const dueAt = details.dueAt === null ? '' : reader.time(new Date(details.dueAt))
  switch (details.event) {
    case 'monitor.down':
      return null
    case 'sla.at-risk':
    case 'sla.breached':
      return availability(details, reader.locale)
    case 'sla.response-breached':
    case 'sla.resolution-breached':
      return [details.slaName, fill(alerts.dueAt, dueAt)].filter((part) => part !== null).join(': ')
    case 'certificate.expiring':
      return fill(alerts.expiresAt, dueAt)
    case 'incident.update-overdue':
      return fill(alerts.updateDueAt, dueAt)
    case 'incident-draft':
      return [draftState(details, dueAt, reader.locale), details.message ?? ''].join(' ').trim()
  }
}

const MAX_PERCENT_DECIMALS = 4

const availability = (
  { percentage, targetPercentage }: AlertDetails,
  locale: Locale,
): string | null => {
  if (targetPercentage === null) return null
  const { alerts } = textsByLocale[locale]
  const format = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: MAX_PERCENT_DECIMALS,
  })
  const target = format.format(targetPercentage / 100)
  return percentage === null
    ? fill(alerts.availabilityTarget, target)
    : alerts.availability
        .replace('{measured}', () => format.format(percentage / 100))
        .replace('{target}', () => target)
}

const draftState = ({ outcome, dueAt }: AlertDetails, time: string, locale: Locale): string => {
  const { states, publishesAt, waits } = textsByLocale[locale].statusPage.actions
  if (outcome !== null) return states[outcome]
  return dueAt === null ? waits : fill(publishesAt, time)
}

/** The value is inserted by a function, because `$` in it has no meaning. */
const fill = (text: string, value: string): string => text.replace('{}', () => value)
