/** E-mail: one message a recipient, with a Message-ID that every attempt repeats. */
import type { MailAnswer, Mailer } from '@status-page/outbound'
import type { Verdict } from '../deliveries/rules.ts'
import type { Message, Send } from './sender.ts'

const TIMEOUT_MS = 60_000

/** A reply about the server, whatever it was sent (RFC 5321, 3.8). */
const CLOSING = 421

export interface MailSettings {
  /** Address that mail comes from. */
  from: string
  /** `BASE_URL`, whose host also names our messages. */
  baseUrl: string
}

export const emailSender =
  (mailer: Mailer, settings: MailSettings): Send =>
  async (message) =>
    mailVerdict(await mailer.send(mailOf(message, settings), { timeoutMs: TIMEOUT_MS }))

export const mailOf = (message: Message, { from, baseUrl }: MailSettings) => {
  if (message.mail === null) throw new Error('a mail without content')
  const { headers, ...content } = message.mail
  return {
    from: { name: message.organizationName, address: from },
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
export const mailVerdict = (answer: MailAnswer): Verdict => {
  if (answer.ok) return { class: 'delivered', statusCode: null }
  const statusCode = answer.code ?? null
  switch (answer.class) {
    case 'blocked':
      return { class: 'blocked' }
    case 'bad_address':
      return { class: 'gone', outcome: 'rejected', statusCode, end: 'hard_bounce' }
    case 'auth_failed':
      return { class: 'transport', outcome: 'auth_failed', statusCode }
    case 'transient':
      // A reply about this mail holds back this mail; a server that does not answer holds back all.
      return statusCode === null || statusCode === CLOSING
        ? { class: 'transport', outcome: 'connect_error', statusCode }
        : { class: 'mail', outcome: 'rejected', statusCode }
    case 'mailbox_full':
    case 'policy':
      return { class: 'mail', outcome: 'rejected', statusCode }
    case 'unknown':
      return { class: 'mail', outcome: 'unknown', statusCode }
  }
}
