/** The question whether an address wants to be subscribed, and the link to manage what is subscribed. */
import type { ConfirmationRequested } from '@status-page/contracts'
import { escapeHtml, frame, type MailContent, oneLine, utc } from './mail.ts'
import { smsText } from './sms-text.ts'

export interface ConfirmationContext {
  baseUrl: string
  organizationName: string
  /** Opened. */
  token: string
}

const COLOUR = '#3949ab'

interface Letter {
  subject: string
  lines: string[]
  action: string
  url: string
}

export const confirmationMail = (
  news: ConfirmationRequested,
  context: ConfirmationContext,
): MailContent => {
  const letter = letterOf(news, context)
  const footer = `Somebody, probably you, gave ${news.subscriber.email} at ${context.baseUrl}. If it was not you, do nothing.`
  return {
    subject: oneLine(letter.subject),
    text: [...letter.lines, '', `${letter.action}: ${letter.url}`, '', '-- ', footer].join('\n'),
    html: frame({
      organizationName: context.organizationName,
      headline: oneLine(letter.subject),
      colour: COLOUR,
      title: letter.subject,
      content: [
        ...letter.lines.map((line) => `<p>${escapeHtml(line)}</p>`),
        `<p style="margin:24px 0"><a href="${escapeHtml(letter.url)}" style="display:inline-block;` +
          `padding:10px 22px;border-radius:6px;background:${COLOUR};color:#fff;font-weight:600;` +
          `text-decoration:none">${letter.action}</a></p>`,
      ].join('\n'),
      footer: escapeHtml(footer),
    }),
    headers: {},
  }
}

const letterOf = (
  { purpose, pageName, expiresAt }: ConfirmationRequested,
  { baseUrl, organizationName, token }: ConfirmationContext,
): Letter => {
  const page = pageName ?? organizationName
  return purpose === 'confirm'
    ? {
        subject: `Confirm your subscription to ${page}`,
        lines: [
          `Do you want status notifications of ${page}?`,
          `Nothing is sent before you confirm. The link works until ${utc(new Date(expiresAt))}.`,
        ],
        action: 'Confirm',
        url: `${baseUrl}/subscriptions/confirm/${token}`,
      }
    : {
        subject: `Your subscription to ${page}`,
        lines: [`This address gets status notifications of ${page} already.`],
        action: 'Manage or unsubscribe',
        url: `${baseUrl}/subscriptions/${token}`,
      }
}

/** The question as a text message; the link is never cut. */
export const confirmationText = (
  news: ConfirmationRequested,
  context: ConfirmationContext,
): string => {
  const { subject, url } = letterOf(news, context)
  return smsText(oneLine(`[${context.organizationName}] ${subject}:`), url)
}

/** The same bytes on every attempt, made anew each time: a token is kept nowhere. */
export const confirmationBody = (
  { purpose }: ConfirmationRequested,
  { baseUrl, token }: Omit<ConfirmationContext, 'organizationName'>,
): Buffer =>
  Buffer.from(
    JSON.stringify(
      purpose === 'confirm'
        ? {
            type: 'subscription.verification',
            token,
            confirmUrl: `${baseUrl}/api/v1/public/subscriptions/confirm`,
          }
        : { type: 'subscription.management', manageUrl: `${baseUrl}/subscriptions/${token}` },
    ),
  )
