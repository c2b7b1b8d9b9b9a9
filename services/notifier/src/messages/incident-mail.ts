/** The mail about an incident: one message a recipient, complete as text, readable as HTML. */
import type { Impact, IncidentFact, IncidentStatus } from '@status-page/contracts'
import type { Told } from './webhook-body.ts'

export interface MailContext {
  organizationName: string
  /** Where the reader manages or ends the subscription; null when no token is known. */
  manageUrl: string | null
  /** Earlier updates that this mail stands for, because they waited too long. */
  coveredUpdates: number
}

export interface MailContent {
  subject: string
  text: string
  html: string
}

const headlines: Record<IncidentStatus, string> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
}

const colours: Record<Impact, string> = { minor: '#8a6100', major: '#b34700', critical: '#b3261e' }
const RESOLVED_COLOUR = '#1b6e3c'

export const incidentMail = (told: Told, context: MailContext): MailContent => {
  const { incident } = told
  const headline = told.kind === 'incident.reopened' ? 'Reopened' : headlines[incident.status]
  return {
    subject: oneLine(`[${context.organizationName}] ${headline}: ${incident.title}`),
    text: textOf(headline, told, context),
    html: htmlOf(headline, told, context),
  }
}

const facts = ({ incident, occurredAt }: Told): [string, string][] => {
  const rows: [string, string][] = [
    ['Status', headlines[incident.status]],
    ['Impact', incident.impact],
  ]
  if (incident.components.length > 0) {
    rows.push(['Affected', incident.components.map(({ name }) => name).join(', ')])
  }
  rows.push(['Started', utc(new Date(incident.startedAt))])
  if (incident.resolvedAt !== null) {
    rows.push(['Resolved', utc(new Date(incident.resolvedAt))], ['Lasted', lasted(incident)])
  }
  rows.push(['Sent about', utc(occurredAt)])
  return rows
}

const coveredLine = (count: number): string | null =>
  count === 0 ? null : `This includes ${count} earlier update${count === 1 ? '' : 's'}.`

const textOf = (headline: string, told: Told, context: MailContext): string => {
  const { incident } = told
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
    context.manageUrl === null ? null : `Manage or unsubscribe: ${context.manageUrl}`,
  ]
    .filter((line) => line !== null)
    .join('\n')
}

const htmlOf = (headline: string, told: Told, context: MailContext): string => {
  const { incident } = told
  const colour = incident.status === 'resolved' ? RESOLVED_COLOUR : colours[incident.impact]
  const rows = facts(told)
    .map(
      ([name, value]) =>
        `<tr><th align="left" style="padding:2px 16px 2px 0;font-weight:400;opacity:.7">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
    )
    .join('')
  const covered = coveredLine(context.coveredUpdates)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(incident.title)}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:560px;margin:0 auto">
<p style="margin:0;opacity:.7">${escapeHtml(context.organizationName)}</p>
<h1 style="margin:4px 0 16px;font-size:22px;line-height:1.3;border-left:4px solid ${colour};padding-left:12px">${headline}: ${escapeHtml(incident.title)}</h1>
${incident.message === '' ? '' : `<p>${paragraphs(incident.message)}</p>`}
${covered === null ? '' : `<p>${covered}</p>`}
<table role="presentation" style="margin:16px 0;border-collapse:collapse">${rows}</table>
${incident.url === null ? '' : `<p><a href="${escapeHtml(incident.url)}">View the incident</a></p>`}
<p style="margin-top:32px;font-size:13px;opacity:.7">You get this because you subscribed to ${escapeHtml(context.organizationName)}.
${context.manageUrl === null ? '' : `<a href="${escapeHtml(context.manageUrl)}">Manage or unsubscribe</a>`}</p>
</div></body></html>`
}

const lasted = ({ startedAt, resolvedAt }: IncidentFact): string => {
  const seconds = (Date.parse(resolvedAt ?? startedAt) - Date.parse(startedAt)) / 1000
  const minutes = Math.round(seconds / 60)
  if (minutes < 1) return 'less than a minute'
  if (minutes < 60) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const utc = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** Escaped first, then line breaks and links, so that nothing of the text becomes markup. */
const paragraphs = (text: string): string =>
  escapeHtml(text)
    .replace(
      /\bhttps?:\/\/[^\s<>"']+/g,
      (url) => `<a href="${url}" rel="noopener nofollow ugc">${url}</a>`,
    )
    .replaceAll('\n', '<br>')

const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
