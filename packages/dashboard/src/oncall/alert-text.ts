/** Title and cause of an alert in the language of the dashboard. */
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { OnCallAlert } from './queries.ts'

type Details = NonNullable<OnCallAlert['details']>

export const useAlertTitle = (): ((alert: OnCallAlert) => string) => {
  const { onCall: texts } = useTexts()
  const { fill } = useFormats()
  return ({ title, details }) =>
    details === null ? title : fill(texts.alertTitles[details.event], { name: details.name })
}

export const useAlertReason = (): ((alert: OnCallAlert) => string | null) => {
  const { onCall: texts } = useTexts()
  const { fill, labelled, percent, time } = useFormats()
  const { alertReasons: reasons } = texts
  const availability = ({ percentage, targetPercentage }: Details): string | null => {
    if (targetPercentage === null) return null
    const target = percent(targetPercentage)
    return percentage === null
      ? fill(reasons.availabilityTarget, { target })
      : fill(reasons.availability, { measured: percent(percentage), target })
  }
  const draftState = ({ outcome, dueAt }: Details): string => {
    if (outcome !== null) return texts.draftOutcomes[outcome]
    return dueAt === null ? reasons.waits : fill(reasons.publishesAt, { time: time(dueAt) })
  }
  const describe = (details: Details): string | null => {
    const at = { time: details.dueAt === null ? '' : time(details.dueAt) }
    switch (details.event) {
      case 'monitor.down':
        return null
      case 'sla.at-risk':
      case 'sla.breached':
        return availability(details)
      case 'sla.response-breached':
      case 'sla.resolution-breached':
        return labelled(details.slaName ?? '', fill(reasons.dueAt, at))
      case 'certificate.expiring':
        return fill(reasons.expiresAt, at)
      case 'incident.update-overdue':
        return fill(reasons.updateDueAt, at)
      case 'incident-draft':
        return `${draftState(details)} ${details.message ?? ''}`.trim()
    }
  }
  return ({ reason, details }) => (details === null ? reason : (describe(details) ?? reason))
}
