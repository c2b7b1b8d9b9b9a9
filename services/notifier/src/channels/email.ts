/** E-mail: one message per recipient, with the same Message-ID on every attempt. */
import { channelSecrets } from '@status-page/contracts'
import type { MailResult } from '@status-page/outbound'
import { calendarPart } from '../messages/calendar.ts'
import { confirmationMail } from '../messages/confirmation.ts'
import { eventMail } from '../messages/event-mail.ts'
import {
  type ChannelKind,
  channelOfType,
  HOUR_MS,
  type OutgoingMessage,
  type Sender,
  type SenderContext,
} from './channel.ts'
import { createMailTransports, type MailTransports } from './mailer.ts'
import type { SendResult } from './send-result.ts'

const TIMEOUT_MS = 60_000

/** Reply about the server itself, independent of the message (RFC 5321, 3.8). */
const CLOSING = 421

/** Twice a mailer's connections: more would wait in its queue while their time limit runs. */
const MAX_PER_MAIL_SERVER = 10

export const email: ChannelKind<'email'> = {
  secrets: channelSecrets.email,
  sentSecrets: { target: 'smtpHost', fields: ['password'] },
  targetOf: ({ smtpHost: host, smtpPort: port }) => ({
    kind: 'smtp',
    fields: { host: 'smtpHost', port: 'smtpPort' },
    host,
    port,
  }),
  recipientFormat: 'mailbox',
  operatorTransport: 'smtp',
  // A mailer has its own queue and a time limit of one minute, so slow requests are not counted
  // separately.
  worker: {
    name: 'email',
    batch: 256,
    maxWaitMs: 20_000,
    queues: {
      maxInFlight: 100,
      maxPerHost: MAX_PER_MAIL_SERVER,
      maxSlow: 0,
      maxSlowPerHost: 0,
      slowAfterMs: 1_000,
    },
  },
  lifetimeMs: 24 * HOUR_MS,
  labelOf: (address) => address.replace(/^(.)[^@]*/, '$1***'),
  render: ({ content, context, event, isSingleEvent }) => ({
    mail: {
      ...eventMail(content, context),
      calendar: isSingleEvent && 'maintenance' in event ? calendarPart(event, context) : null,
    },
  }),
  renderConfirmation: (request, context) => ({ mail: confirmationMail(request, context) }),
  createSender({ outbound, settings, logger, meter }) {
    const { BASE_URL: baseUrl, MAIL_FROM: from = `status@${new URL(baseUrl).hostname}` } = settings
    return emailSender(createMailTransports(settings, outbound), { baseUrl, from, logger, meter })
  },
}

export interface MailSettings extends Pick<SenderContext, 'logger' | 'meter'> {
  /** From address of mail through the operator's server. */
  from: string
  /** `BASE_URL`, whose host is also the domain of message ids. */
  baseUrl: string
}

/** Minimum interval between log entries per channel: a blocklist refuses every mail. */
const LOG_PAUSE_MS = 600_000

export const emailSender = (
  { operator, through }: MailTransports,
  settings: MailSettings,
): Sender => {
  const logRefusal = createRefusalLog(settings)
  return {
    hasTransport: (channel) => channel !== null || operator !== null,
    async send(message) {
      const channel = channelOfType(message, 'email')
      const mailer = channel === null ? operator : through(channel)
      if (mailer === null) throw new Error('a mail without a way out')
      const response = await mailer.send(toMail(message, settings), { timeoutMs: TIMEOUT_MS })
      if (!response.ok && response.class === 'policy') logRefusal(channel?.id ?? null, response)
      return mailResult(response)
    },
  }
}

/**
 * Logs that a receiver refuses the sending server rather than the recipient: the operator's server
 * as an error, the server of a channel at info with a counter.
 */
const createRefusalLog = ({ logger, meter }: Pick<MailSettings, 'logger' | 'meter'>) => {
  const lastAt = new Map<string | null, number>()
  return (channelId: string | null, { code, enhanced }: { code?: number; enhanced?: string }) => {
    const at = performance.now()
    if (at - (lastAt.get(channelId) ?? Number.NEGATIVE_INFINITY) < LOG_PAUSE_MS) return
    lastAt.set(channelId, at)
    const details = { channelId, statusCode: code, enhanced }
    const message = 'receiver rejects the mail: check SPF, DKIM and blocklists'
    if (channelId === null) return logger.error({ alarm: 'mail_policy', ...details }, message)
    meter.channelFailed('mail_policy')
    logger.info(details, message)
  }
}

export const toMail = (
  message: OutgoingMessage,
  { from, baseUrl }: Pick<MailSettings, 'from' | 'baseUrl'>,
) => {
  if (message.mail === null) throw new Error('a mail without content')
  const { headers, ...content } = message.mail
  const channel = channelOfType(message, 'email')
  return {
    from: {
      name: channel?.config.fromName ?? message.senderName,
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

/** Outcome table of a mail server's replies. */
export const mailResult = (response: MailResult): SendResult => {
  if (response.ok) return { class: 'delivered', statusCode: null }
  const statusCode = response.code ?? null
  // Status codes of RFC 3463 without the reply's text, which may repeat the message.
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
      // A reply about this mail defers this mail; a server that does not respond defers all.
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
