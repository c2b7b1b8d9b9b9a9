/** Mail about an on-call alert: subject, start, and how to respond. */
import type { AlertEventData, AlertSeverity, ComponentStatus } from '@status-page/contracts'
import { formatTime } from './content-fields.ts'
import { factLines, factTable, type MessageFact } from './facts.ts'
import type { ReaderLanguage } from './language.ts'
import { escapeHtml, type MailContent, mailSubject, toOneLine } from './mail.ts'
import { mailFrameHtml } from './mail-frame.ts'
import { plainTextHtml } from './message-text.ts'
import { translateAlert } from './translate-alert.ts'

export type AlertKind =
  | 'oncall.triggered'
  | 'oncall.escalated'
  | 'oncall.acknowledged'
  | 'oncall.resolved'

export interface AlertEvent {
  kind: AlertKind
  alert: AlertEventData
}

export interface AlertContext {
  baseUrl: string
  organizationName: string
  language: ReaderLanguage
  /** Page that acknowledges and resolves the alert. */
  actionUrl: string | null
}

/** Status whose colour an alert of the severity has. */
const severityStatuses: Record<AlertSeverity, ComponentStatus> = {
  critical: 'major_outage',
  warning: 'degraded_performance',
}

/** Text before the title; phones show only the first words. */
const headlines: Record<
  AlertKind,
  (alert: AlertEventData, language: ReaderLanguage) => string | undefined
> = {
  'oncall.triggered': ({ severity }, { severities }) => severities[severity],
  'oncall.escalated': ({ severity }, { severities, alert }) =>
    alert.escalated(severities[severity]),
  'oncall.acknowledged': ({ acknowledgedBy }, { headlines, alert }) =>
    acknowledgedBy === null
      ? headlines['oncall.acknowledged']
      : alert.acknowledgedBy(acknowledgedBy.name),
  'oncall.resolved': (_alert, { headlines }) => headlines['oncall.resolved'],
}

export const isAlertKind = (kind: string): kind is AlertKind => Object.hasOwn(headlines, kind)

export const alertMail = (event: AlertEvent, context: AlertContext): MailContent => {
  const { organizationName, language } = context
  const { kind } = event
  const alert = translateAlert(event.alert, language)
  const actionUrl = alert.status === 'triggered' ? context.actionUrl : null
  const status = headlines[kind](alert, language) ?? language.severities[alert.severity]
  const headline = toOneLine(language.titled(status, alert.title))
  const content = {
    headline,
    alert,
    language,
    facts: factsOf(alert, language),
    actionUrl,
    footer: language.alert.footer(organizationName),
  }
  return {
    subject: mailSubject({ headline: status, title: alert.title }, organizationName),
    text: textOf(content),
    html: mailFrameHtml({
      senderName: organizationName,
      language,
      appearance: null,
      state: {
        label: status,
        status: alert.status === 'triggered' ? severityStatuses[alert.severity] : 'operational',
      },
      headline: alert.title,
      content: contentOf(content),
      action: actionOf(content),
      footer: escapeHtml(content.footer),
    }),
    headers: headersOf(alert, context),
  }
}

const factsOf = (alert: AlertEventData, language: ReaderLanguage): MessageFact[] => {
  const { facts: names, alert: phrases } = language
  const facts: [string, string | null][] = [
    [names.severity, language.severities[alert.severity]],
    [names.since, language.time(new Date(alert.since))],
    [names.schedule, alert.schedule.name],
    [
      names.notified,
      alert.assigned.map(({ name }) => name).join(language.separator) || phrases.noOne,
    ],
    [names.acknowledged, formatTime(alert.acknowledgedAt, language)],
    [names.resolved, formatTime(alert.resolvedAt, language)],
    [names.raised, alert.count === 1 ? null : phrases.times(alert.count)],
    [names.escalates, formatTime(alert.escalatesAt, language)],
  ]
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
}

interface Content {
  headline: string
  alert: AlertEventData
  language: ReaderLanguage
  facts: readonly MessageFact[]
  actionUrl: string | null
  footer: string
}

const textOf = ({ headline, alert, language, facts, actionUrl, footer }: Content): string =>
  [
    headline,
    '',
    ...(alert.reason === null ? [] : [alert.reason, '']),
    ...factLines(facts, language),
    ...(actionUrl === null ? [] : ['', language.link(language.respond, actionUrl)]),
    ...(alert.url === null ? [] : ['', language.link(language.view.alert, alert.url)]),
    '',
    '-- ',
    footer,
  ].join('\n')

const contentOf = ({ alert, language, facts, actionUrl }: Content): string =>
  [
    ...(alert.reason === null ? [] : [plainTextHtml(alert.reason)]),
    factTable(facts, language),
    ...(alert.url === null || actionUrl === null
      ? []
      : [`<p><a href="${escapeHtml(alert.url)}">${escapeHtml(language.view.alert)}</a></p>`]),
  ].join('\n')

/** Main button: the response that a triggered alert needs, else the page that shows the alert. */
const actionOf = ({ alert, language, actionUrl }: Content) => {
  if (actionUrl !== null) return { url: actionUrl, label: language.respond }
  return alert.url === null ? null : { url: alert.url, label: language.view.alert }
}

/** One thread per alert; mails that require a response are marked as urgent. */
const headersOf = ({ id, status }: AlertEventData, { baseUrl }: AlertContext) => {
  const thread = `<alert-${id}@${new URL(baseUrl).hostname}>`
  return {
    'In-Reply-To': thread,
    References: thread,
    ...(status === 'triggered' ? { Importance: 'high', 'X-Priority': '1' } : {}),
  }
}
