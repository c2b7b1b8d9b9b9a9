/** English title and reason of alerts that the service describes, with their values. Pure. */
import type { AlertDetails } from '@status-page/contracts'
import { alertReason, alertTitle } from '@status-page/html/alert-text'

export interface AlertDescription {
  title: string
  reason: string | null
  details: AlertDetails
}

type GivenDetails = Pick<AlertDetails, 'event' | 'name'> & Partial<AlertDetails>

/** `reason` is that of a check; other reasons follow from the details. */
export const describeAlert = (
  given: GivenDetails,
  reason: string | null = null,
): AlertDescription => {
  const details: AlertDetails = {
    slaName: null,
    dueAt: null,
    percentage: null,
    targetPercentage: null,
    message: null,
    outcome: null,
    ...given,
  }
  return {
    title: alertTitle({ title: '', details }, 'en'),
    reason: alertReason({ reason, details }, { locale: 'en', time: utcMinute }),
    details,
  }
}

/** Formats a time like `2026-01-02 03:04 UTC`. */
const utcMinute = (at: Date): string => {
  const [day, time] = at.toISOString().split('T') as [string, string]
  return `${day} ${time.slice(0, 5)} UTC`
}
