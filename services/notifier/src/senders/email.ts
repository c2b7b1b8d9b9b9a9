/** E-mail: one message a recipient, with a Message-ID that every attempt repeats. */
import type { Mailer, MailResult } from '@status-page/outbound'
import type { SendResult } from '../deliveries/rules.ts'
import { channelOf, type Message, type OpenChannel, type Sender } from './sender.ts'

const TIMEOUT_MS = 60_000

/** A reply about the server, whatever it was sent (RFC 5321, 3.8). */
const CLOSING = 421

export interface MailSettings {
  /** Address that mail by the operator's server comes from. */
  from: string
  /** `BASE_URL`, whose host also names our messages. */
  baseUrl: string
  /** A receiver refuses what we are, not whom we write to: that is the operator's to mend. */
  alarm(details: object, message: string): void
}

/** One line a way and this long: a blocklist refuses every mail. */
const ALARM_PAUSE_MS = 600_000

export interface MailTransports {
  /** The operator's server, or the folder in its place. */
  operator: Mailer | null
  through(channel: OpenChannel<'email'>): Mailer
}

export const emailSender = (
  { operator, through }: MailTransports,
  settings: MailSettings,
): Sender => {
  const raiseAlarm = createRefusalAlarm(settings)
  return {
    hasTransport: (channel) => channel !== null || operator !== null,
    async send(message) {
      const channel = channelOf(message, 'email')
      const mailer = channel === null ? operator : through(channel)
      if (mailer === null) throw new Error('a mail without a way out')
      const response = await mailer.send(mailOf(message, settings), { timeoutMs: TIMEOUT_MS })
      if (!response.ok && response.class === 'policy') raiseAlarm(channel?.id ?? null, response)
      return mailResult(response)
    },
  }
}

const createRefusalAlarm = ({ alarm }: MailSettings) => {
  const lastAt = new Map<string | null, number>()
  return (channelId: string | null, { code, enhanced }: { code?: number; enhanced?: string }) => {
    const at = performance.now()
    if (at - (lastAt.get(channelId) ?? Number.NEGATIVE_INFINITY) < ALARM_PAUSE_MS) return
    lastAt.set(channelId, at)
    const details = { alarm: 'mail_policy', channelId, statusCode: code, enhanced }
    alarm(details, 'A receiver rejects our mail: check SPF, DKIM and blocklists')
  }
}

export const mailOf = (message: Message, { from, baseUrl }: Omit<MailSettings, 'alarm'>) => {
  if (message.mail === null) throw new Error('a mail without content')
  const { headers, ...content } = message.mail
  const channel = channelOf(message, 'email')
  return {
    from: {
      name: channel?.config.fromName ?? message.organizationName,
      address: channel?.config.fromAddress ?? from,
    },
    to: { address: message.address },
    ...content,
    messageId: `<${message.deliveryId}@${new URL(baseUrl).hostname}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...headers,
    },
  }
}

/** The outcome table of a mail server's reply. */
export const mailResult = (response: MailResult): SendResult => {
  if (response.ok) return { class: 'delivered', statusCode: null }
  const statusCode = response.code ?? null
  // The numbers of RFC 3463 and nothing of the text, which may repeat what we sent.
  const details = {
    statusCode,
    ...(response.enhanced === undefined ? {} : { detail: response.enhanced }),
  }
  switch (response.class) {
    case 'blocked':
      return { class: 'blocked' }
    case 'bad_address':
      return { class: 'gone', outcome: 'rejected', ...details, suppressionReason: 'hard_bounce' }
    case 'auth_failed':
      return { class: 'transport', outcome: 'auth_failed', ...details }
    case 'transient':
      // A reply about this mail holds back this mail; a server that does not answer holds back all.
      return statusCode === null || statusCode === CLOSING
        ? { class: 'transport', outcome: 'connect_error', ...details }
        : { class: 'mail', outcome: 'rejected', ...details }
    case 'mailbox_full':
      return { class: 'mail', outcome: 'rejected', ...details, soft: 'mailbox_full' }
    case 'policy':
      return { class: 'mail', outcome: 'rejected', ...details }
    case 'unknown':
      return { class: 'mail', outcome: 'unknown', ...details }
  }
}
