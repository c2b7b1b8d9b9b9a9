/** Mail about suppressed destinations, with the reasons and the way to reactivate them. */
import { type ChannelType, channelTypeName, type DeliveryEvent } from '@status-page/contracts'
import type { DestinationKind, SuppressionReason } from '../tables.ts'
import type { ReaderLanguage } from './language.ts'
import { escapeHtml, type MailContent, toOneLine } from './mail.ts'
import { mailFrameHtml } from './mail-frame.ts'

/** Kind of the mail in the delivery log; it is never published. */
export const DESTINATION_ENDED = 'destination.ended' satisfies DeliveryEvent

export interface SuppressedDestination {
  kind: DestinationKind
  type: ChannelType
  /** Recognizable label without the full address. */
  label: string
  /** Name of the channel that owns the destination. */
  channel: string | null
  reason: SuppressionReason
  at: string
}

export interface SuppressionNotice {
  ended: readonly SuppressedDestination[]
  /** Number of further destinations that are not listed. */
  others: number
}

export const isSuppressionNotice = <Event extends { kind: string; payload: unknown }>(
  event: Event,
): event is Event & { payload: SuppressionNotice } => event.kind === DESTINATION_ENDED

export interface SuppressionMailContext {
  organizationName: string
  language: ReaderLanguage
}

export const suppressionMail = (
  { ended, others }: SuppressionNotice,
  { organizationName, language }: SuppressionMailContext,
): MailContent => {
  const phrases = language.ended
  const subject = phrases.subject(ended.length + others)
  const lines = [
    ...ended.map((one) => lineOf(one, language)),
    ...(others === 0 ? [] : [language.andMore(others)]),
  ]
  const footer = phrases.footer(organizationName)
  return {
    subject: toOneLine(`${subject} - ${organizationName}`),
    text: [
      `${subject}:`,
      '',
      ...lines.map((line) => `- ${line}`),
      '',
      phrases.remedy,
      '',
      '-- ',
      footer,
    ].join('\n'),
    html: mailFrameHtml({
      senderName: organizationName,
      language,
      appearance: null,
      headline: subject,
      content: [
        `<ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`,
        `<p>${escapeHtml(phrases.remedy)}</p>`,
      ].join('\n'),
      footer: escapeHtml(footer),
    }),
    headers: {},
  }
}

const lineOf = (
  { type, label, channel, reason, at }: SuppressedDestination,
  { ended: phrases, time }: ReaderLanguage,
): string => {
  const owner = channel === null ? phrases.subscriber(label) : phrases.channel(channel)
  const recipient = channel === null || channel === label ? '' : `, ${label}`
  const since = time(new Date(at))
  const typeName = phrases.types[type] ?? channelTypeName(type)
  return toOneLine(phrases.line(`${owner}${recipient}`, typeName, phrases.reasons[reason], since))
}
