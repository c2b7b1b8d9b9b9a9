/** The mail about destinations that no longer get anything: which, why, and how to bring them back. */
import type { ChannelType } from '@status-page/contracts'
import type { DestinationKind, EndReason } from '../tables.ts'
import { escapeHtml, frame, type MailContent, oneLine, utc } from './mail.ts'

/** Kind of its entry in the delivery log; it never travels. */
export const DESTINATION_ENDED = 'destination.ended'

export interface Ended {
  kind: DestinationKind
  type: ChannelType
  /** Recognisable, not the whole address. */
  label: string
  /** Name of the channel that it belongs to. */
  channel: string | null
  reason: EndReason
  at: string
}

export interface EndedNews {
  ended: readonly Ended[]
  /** Not named, for there are too many. */
  others: number
}

export const isEndedNews = <Event extends { kind: string; payload: unknown }>(
  event: Event,
): event is Event & { payload: EndedNews } => event.kind === DESTINATION_ENDED

export interface EndedContext {
  baseUrl: string
  organizationName: string
}

const COLOUR = '#8a6100'

const reasons: Record<EndReason, string> = {
  sms_stop: 'replied STOP',
  hard_bounce: 'the mailbox does not exist',
  mailbox_full: 'the mailbox stays full',
  complaint: 'the reader reported a message as spam',
  invalid_number: 'the number cannot get text messages',
  unreachable: 'the phone stays out of reach',
  endpoint_gone: 'the endpoint says that it is gone',
  endpoint_failing: 'the endpoint has failed for five days',
}

export const endedMail = (
  { ended, others }: EndedNews,
  { baseUrl, organizationName }: EndedContext,
): MailContent => {
  const count = ended.length + others
  const subject = `${count === 1 ? 'A destination gets' : `${count} destinations get`} nothing any more`
  const lines = [
    ...ended.map(lineOf),
    ...(others === 0
      ? []
      : [`and ${others} more: GET ${baseUrl}/api/v1/subscribers?status=quarantined`]),
  ]
  const remedy =
    `A subscriber comes back by PATCH ${baseUrl}/api/v1/subscribers/{id} with {"status":"active"}, ` +
    'a channel as soon as it is changed or enabled again.'
  const footer = `You get this because you look after the subscribers of ${organizationName}.`
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
      ...{ organizationName, headline: subject, colour: COLOUR, title: subject },
      content: [
        `<ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`,
        `<p>${escapeHtml(remedy)}</p>`,
      ].join('\n'),
      footer: escapeHtml(footer),
    }),
    headers: {},
  }
}

const lineOf = ({ type, label, channel, reason, at }: Ended): string => {
  const owner = channel === null ? `Subscriber ${label}` : `Channel ${channel}`
  const recipient = channel === null || channel === label ? '' : `, ${label}`
  return oneLine(`${owner}${recipient} (${type}): ${reasons[reason]}, since ${utc(new Date(at))}`)
}
