/** The mail about destinations that no longer get anything: which, why, and how to bring them back. */
import type { ChannelType, DeliveryEvent } from '@status-page/contracts'
import type { DestinationKind, SuppressionReason } from '../tables.ts'
import type { MessageLanguage } from './language.ts'
import { escapeHtml, frame, type MailContent, oneLine, utc } from './mail.ts'

/** Kind of its entry in the delivery log; it never travels. */
export const DESTINATION_ENDED = 'destination.ended' satisfies DeliveryEvent

export interface SuppressedDestination {
  kind: DestinationKind
  type: ChannelType
  /** Recognisable, not the whole address. */
  label: string
  /** Name of the channel that it belongs to. */
  channel: string | null
  reason: SuppressionReason
  at: string
}

export interface SuppressionNotice {
  ended: readonly SuppressedDestination[]
  /** Not named, for there are too many. */
  others: number
}

export const isSuppressionNotice = <Event extends { kind: string; payload: unknown }>(
  event: Event,
): event is Event & { payload: SuppressionNotice } => event.kind === DESTINATION_ENDED

export interface SuppressionMailContext {
  baseUrl: string
  organizationName: string
  language: MessageLanguage
}

const COLOUR = '#8a6100'

export const suppressionMail = (
  { ended, others }: SuppressionNotice,
  { baseUrl, organizationName, language }: SuppressionMailContext,
): MailContent => {
  const phrases = language.ended
  const subject = phrases.subject(ended.length + others)
  const subscribers = `${baseUrl}/api/v1/subscribers`
  const lines = [
    ...ended.map((one) => lineOf(one, language)),
    ...(others === 0 ? [] : [`${language.andMore(others)}: GET ${subscribers}?status=quarantined`]),
  ]
  const remedy = phrases.remedy(`PATCH ${subscribers}/{id}`, '{"status":"active"}')
  const footer = phrases.footer(organizationName)
  return {
    subject: oneLine(`[${organizationName}] ${subject}`),
    text: [
      `${subject}:`,
      '',
      ...lines.map((line) => `- ${line}`),
      '',
      remedy,
      '',
      '-- ',
      footer,
    ].join('\n'),
    html: frame({
      organizationName,
      language,
      headline: subject,
      colour: COLOUR,
      title: subject,
      content: [
        `<ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`,
        `<p>${escapeHtml(remedy)}</p>`,
      ].join('\n'),
      footer: escapeHtml(footer),
    }),
    headers: {},
  }
}

const lineOf = (
  { type, label, channel, reason, at }: SuppressedDestination,
  { ended: phrases }: MessageLanguage,
): string => {
  const owner = channel === null ? phrases.subscriber(label) : phrases.channel(channel)
  const recipient = channel === null || channel === label ? '' : `, ${label}`
  const time = utc(new Date(at))
  return oneLine(phrases.line(`${owner}${recipient}`, type, phrases.reasons[reason], time))
}
