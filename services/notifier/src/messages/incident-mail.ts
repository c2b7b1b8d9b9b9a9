/** The mail about an incident. */
import type { Impact, IncidentFact, IncidentStatus } from '@status-page/contracts'
import { type MailContent, utc } from './mail.ts'
import { type MailContext, newsMail } from './news-mail.ts'
import type { ToldOf } from './webhook-body.ts'

type Told = ToldOf<'incident'>

const headlines: Record<IncidentStatus, string> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
}

const impactNames: Record<Impact, string> = { minor: 'Minor', major: 'Major', critical: 'Critical' }
const colours: Record<Impact, string> = { minor: '#8a6100', major: '#b34700', critical: '#b3261e' }
const RESOLVED_COLOUR = '#1b6e3c'

export const incidentMail = (told: Told, context: MailContext): MailContent => {
  const { id, title, message, status, impact, url } = told.incident
  return newsMail(
    {
      ...{ noun: 'incident', id, title, message, url },
      headline: told.kind === 'incident.reopened' ? 'Reopened' : headlines[status],
      facts: factsOf(told),
      colour: status === 'resolved' ? RESOLVED_COLOUR : colours[impact],
    },
    context,
  )
}

const factsOf = ({ incident, occurredAt }: Told): [string, string][] => {
  const rows: [string, string][] = [
    ['Status', headlines[incident.status]],
    ['Impact', impactNames[incident.impact]],
  ]
  if (incident.components.length > 0) {
    rows.push(['Affected', incident.components.map(({ name }) => name).join(', ')])
  }
  rows.push(['Started', utc(new Date(incident.startedAt))])
  if (incident.resolvedAt !== null) {
    rows.push(['Resolved', utc(new Date(incident.resolvedAt))], ['Lasted', lasted(incident)])
  }
  rows.push(['Posted', utc(occurredAt)])
  return rows
}

const lasted = ({ startedAt, resolvedAt }: IncidentFact): string => {
  const seconds = (Date.parse(resolvedAt ?? startedAt) - Date.parse(startedAt)) / 1000
  const minutes = Math.round(seconds / 60)
  if (minutes < 1) return 'less than a minute'
  if (minutes < 60) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
