/** Classification of SMTP replies for deliveries, by a conservative reading of RFC 3463. Pure. */

export type MailFault =
  | 'transient'
  | 'bad_address'
  | 'mailbox_full'
  | 'auth_failed'
  | 'policy'
  | 'unknown'
  | 'blocked'

export interface SmtpReply {
  /** `RCPT TO`, `DATA`, `AUTH PLAIN`, … in nodemailer's spelling. */
  command: string
  code: number
  text: string
}

const BAD_ADDRESS = ['5.1.1', '5.1.2', '5.1.3', '5.1.10', '5.2.1']
const MAILBOX_FULL = ['5.2.2']
const LOGIN_REJECTED = ['5.7.8', '5.7.9']
const LOGIN_CODES = [530, 534, 535, 538]
/** Reply of a server whose session is out of sequence; a new connection resolves it. */
const BAD_SEQUENCE = 503
/** Codes about the mailbox when the reply has no enhanced status. */
const MAILBOX_CODES = [550, 551, 553]
const ABOUT_SENDER =
  /spam|block|blacklist|reputation|policy|denied|relay|spf|dkim|dmarc|rbl|dnsbl|reject/i

export const enhancedStatus = (text: string): string | null =>
  /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(text)?.[1] ?? null

/**
 * Classifies a reply. Never guesses `bad_address`: it suppresses a recipient, while `policy` only
 * delays.
 */
export const classifyReply = (reply: SmtpReply): MailFault => {
  const { command, code, text } = reply
  const enhanced = enhancedStatus(text)
  if (code < 500 || code === BAD_SEQUENCE) return 'transient'
  if (LOGIN_CODES.includes(code) || command.startsWith('AUTH')) return 'auth_failed'
  if (enhanced !== null && LOGIN_REJECTED.includes(enhanced)) return 'auth_failed'
  if (code === 552 || (enhanced !== null && MAILBOX_FULL.includes(enhanced))) return 'mailbox_full'
  if (command === 'RCPT TO' && isAboutMailbox(code, enhanced, text)) return 'bad_address'
  return 'policy'
}

const isAboutMailbox = (code: number, enhanced: string | null, text: string): boolean =>
  enhanced === null
    ? MAILBOX_CODES.includes(code) && !ABOUT_SENDER.test(text)
    : BAD_ADDRESS.includes(enhanced)
