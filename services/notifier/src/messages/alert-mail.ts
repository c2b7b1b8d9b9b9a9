/** The mail about an on-call alert, for somebody whom it wakes: what, since when, what to do. */
import type { AlertFact, AlertSeverity } from '@status-page/contracts'
import { escapeHtml, frame, type MailContent, oneLine, paragraphs, utc } from './mail.ts'

export type AlertKind =
  | 'oncall.triggered'
  | 'oncall.escalated'
  | 'oncall.acknowledged'
  | 'oncall.resolved'

export interface AlertNews {
  kind: AlertKind
  alert: AlertFact
}

export interface AlertContext {
  baseUrl: string
  organizationName: string
}

const severityNames: Record<AlertSeverity, string> = { critical: 'CRITICAL', warning: 'WARNING' }
const colours: Record<AlertSeverity, string> = { critical: '#b3261e', warning: '#8a6100' }
const CALM_COLOUR = '#1b6e3c'

/** What stands before the title; the first words are all that a phone shows. */
const headlines: Record<AlertKind, (alert: AlertFact) => string> = {
  'oncall.triggered': ({ severity }) => severityNames[severity],
  'oncall.escalated': ({ severity }) => `${severityNames[severity]}, escalated`,
  'oncall.acknowledged': ({ acknowledgedBy }) =>
    acknowledgedBy === null ? 'Acknowledged' : `Acknowledged by ${acknowledgedBy.name}`,
  'oncall.resolved': () => 'Resolved',
}

export const isAlertKind = (kind: string): kind is AlertKind => Object.hasOwn(headlines, kind)

export const alertMail = (news: AlertNews, context: AlertContext): MailContent => {
  const { alert } = news
  const headline = oneLine(`${headlines[news.kind](alert)}: ${alert.title}`)
  const facts = factsOf(alert)
  const calls = alert.status === 'triggered' ? callsOf(alert, context) : []
  const footer = `You get this because you are on call for ${context.organizationName}.`
  return {
    subject: oneLine(`[${context.organizationName}] ${headline}`),
    text: textOf({ headline, alert, facts, calls, footer }),
    html: frame({
      organizationName: context.organizationName,
      headline,
      colour: alert.status === 'triggered' ? colours[alert.severity] : CALM_COLOUR,
      title: alert.title,
      content: contentOf({ alert, facts, calls }),
      footer: escapeHtml(footer),
    }),
    headers: headersOf(alert, context),
  }
}

type Fact = [name: string, value: string]

/** Something to do, and the call of the API that does it. */
interface AlertCall {
  purpose: string
  line: string
}

const factsOf = (alert: AlertFact): Fact[] => {
  const facts: [string, string | null][] = [
    ['Severity', alert.severity],
    ['Since', utc(new Date(alert.since))],
    ['Schedule', alert.schedule.name],
    ['Told', alert.assigned.map(({ name }) => name).join(', ') || 'nobody'],
    ['Acknowledged', timeOf(alert.acknowledgedAt)],
    ['Resolved', timeOf(alert.resolvedAt)],
    ['Raised', alert.count === 1 ? null : `${alert.count} times`],
    ['Escalates', timeOf(alert.escalatesAt)],
  ]
  return facts.filter((fact): fact is Fact => fact[1] !== null)
}

const timeOf = (at: string | null): string | null => (at === null ? null : utc(new Date(at)))

const callsOf = ({ id }: AlertFact, { baseUrl }: AlertContext): AlertCall[] => {
  const alertUrl = `${baseUrl}/api/v1/oncall/alerts/${id}`
  const post = (verb: string) =>
    `curl -X POST -H "Authorization: Bearer $API_KEY" ${alertUrl}/${verb}`
  return [
    { purpose: 'To take it on, which stops the escalation:', line: post('acknowledge') },
    { purpose: 'To close it:', line: post('resolve') },
  ]
}

interface Content {
  alert: AlertFact
  facts: readonly Fact[]
  calls: readonly AlertCall[]
}

const textOf = (parts: Content & { headline: string; footer: string }): string => {
  const { headline, alert, facts, calls, footer } = parts
  const width = Math.max(...facts.map(([name]) => name.length))
  return [
    headline,
    '',
    ...(alert.reason === null ? [] : [alert.reason, '']),
    ...facts.map(([name, value]) => `${name.padEnd(width)}  ${oneLine(value)}`),
    ...calls.flatMap(({ purpose, line }) => ['', purpose, line]),
    ...(alert.url === null ? [] : ['', alert.url]),
    '',
    '-- ',
    footer,
  ].join('\n')
}

const contentOf = ({ alert, facts, calls }: Content): string => {
  const rows = facts.map(
    ([name, value]) =>
      `<tr><th align="left" style="padding:2px 16px 2px 0;font-weight:400;opacity:.7">${name}</th>` +
      `<td>${escapeHtml(value)}</td></tr>`,
  )
  return [
    ...(alert.reason === null ? [] : [`<p>${paragraphs(alert.reason)}</p>`]),
    `<table role="presentation" style="margin:16px 0;border-collapse:collapse">${rows.join('')}</table>`,
    ...calls.map(
      ({ purpose, line }) => `<p>${escapeHtml(purpose)}<br><code>${escapeHtml(line)}</code></p>`,
    ),
    ...(alert.url === null
      ? []
      : [`<p><a href="${escapeHtml(alert.url)}">View the incident</a></p>`]),
  ].join('\n')
}

/** One thread an alert; what wakes somebody is marked as urgent. */
const headersOf = ({ id, status }: AlertFact, { baseUrl }: AlertContext) => {
  const thread = `<alert-${id}@${new URL(baseUrl).hostname}>`
  return {
    'In-Reply-To': thread,
    References: thread,
    ...(status === 'triggered' ? { Importance: 'high', 'X-Priority': '1' } : {}),
  }
}
