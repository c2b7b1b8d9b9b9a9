/** The mail about an incident: one message a recipient, complete as text, readable as HTML. */
import type { Impact, IncidentFact, IncidentStatus } from '@status-page/contracts'
import { escapeHtml, frame, type MailContent, oneLine, paragraphs, utc } from './mail.ts'
import type { Told } from './webhook-body.ts'

export interface MailContext {
  organizationName: string
  baseUrl: string
  /** Of the manage and unsubscribe links; null when none is known. */
  manageToken: string | null
  /** Earlier updates that this mail stands for, because they waited too long. */
  coveredUpdates: number
}

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
  const { incident } = told
  const headline = told.kind === 'incident.reopened' ? 'Reopened' : headlines[incident.status]
  return {
    subject: oneLine(`[${context.organizationName}] ${headline}: ${incident.title}`),
    text: textOf(headline, told, context),
    html: htmlOf(headline, told, context),
    headers: headersOf(incident, context),
  }
}

const manageUrlOf = ({ baseUrl, manageToken }: MailContext): string | null =>
  manageToken === null ? null : `${baseUrl}/subscriptions/${manageToken}`

/** Threads with the incident's other mails; ends by one click (RFC 8058). */
const headersOf = (incident: IncidentFact, context: MailContext): Record<string, string> => {
  const { hostname } = new URL(context.baseUrl)
  const thread = `<incident-${incident.id}@${hostname}>`
  const manageUrl = manageUrlOf(context)
  return {
    'In-Reply-To': thread,
    References: thread,
    'List-Id': `<status.${hostname}>`,
    ...(manageUrl === null
      ? {}
      : {
          'List-Unsubscribe': `<${manageUrl}/unsubscribe>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
  }
}

const facts = ({ incident, occurredAt }: Told): [string, string][] => {
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

const coveredLine = (count: number): string | null =>
  count === 0 ? null : `This includes ${count} earlier update${count === 1 ? '' : 's'}.`

const textOf = (headline: string, told: Told, context: MailContext): string => {
  const { incident } = told
  const manageUrl = manageUrlOf(context)
  const width = Math.max(...facts(told).map(([name]) => name.length))
  return [
    `${headline}: ${incident.title}`,
    '',
    incident.message,
    coveredLine(context.coveredUpdates),
    '',
    ...facts(told).map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    incident.url === null ? null : `\n${incident.url}`,
    '\n-- ',
    `You get this because you subscribed to ${context.organizationName}.`,
    manageUrl === null ? null : `Manage or unsubscribe: ${manageUrl}`,
  ]
    .filter((line) => line !== null)
    .join('\n')
}

const htmlOf = (headline: string, told: Told, context: MailContext): string => {
  const { incident } = told
  const manageUrl = manageUrlOf(context)
  const covered = coveredLine(context.coveredUpdates)
  const link =
    manageUrl === null ? '' : ` <a href="${escapeHtml(manageUrl)}">Manage or unsubscribe</a>`
  return frame({
    organizationName: context.organizationName,
    headline: `${headline}: ${incident.title}`,
    colour: incident.status === 'resolved' ? RESOLVED_COLOUR : colours[incident.impact],
    title: incident.title,
    content: [
      incident.message === '' ? null : `<p>${paragraphs(incident.message)}</p>`,
      covered === null ? null : `<p>${covered}</p>`,
      tableOf(facts(told)),
      incident.url === null
        ? null
        : `<p><a href="${escapeHtml(incident.url)}">View the incident</a></p>`,
    ]
      .filter((part) => part !== null)
      .join('\n'),
    footer: `You get this because you subscribed to ${escapeHtml(context.organizationName)}.${link}`,
  })
}

const tableOf = (rows: [string, string][]): string => {
  const cells = rows.map(
    ([name, value]) =>
      `<tr><th align="left" style="padding:2px 16px 2px 0;font-weight:400;opacity:.7">${escapeHtml(name)}</th>` +
      `<td>${escapeHtml(value)}</td></tr>`,
  )
  return `<table role="presentation" style="margin:16px 0;border-collapse:collapse">${cells.join('')}</table>`
}

const lasted = ({ startedAt, resolvedAt }: IncidentFact): string => {
  const seconds = (Date.parse(resolvedAt ?? startedAt) - Date.parse(startedAt)) / 1000
  const minutes = Math.round(seconds / 60)
  if (minutes < 1) return 'less than a minute'
  if (minutes < 60) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
