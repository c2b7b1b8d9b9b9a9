/** The question whether an address wants to be subscribed, and the link to manage what is subscribed. */
import type { ConfirmationRequested } from '@status-page/contracts'
import type { MessageLanguage } from './language.ts'
import { escapeHtml, frame, type MailContent, oneLine, utc } from './mail.ts'
import { smsText } from './sms-text.ts'

export interface ConfirmationContext {
  baseUrl: string
  organizationName: string
  language: MessageLanguage
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
  const { language, organizationName, baseUrl } = context
  const footer = language.confirmation.footer(news.subscriber.email ?? '', baseUrl)
  return {
    subject: oneLine(letter.subject),
    text: [...letter.lines, '', `${letter.action}: ${letter.url}`, '', '-- ', footer].join('\n'),
    html: frame({
      organizationName,
      language,
      headline: oneLine(letter.subject),
      colour: COLOUR,
      title: letter.subject,
      content: letter.lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n'),
      action: { url: letter.url, label: letter.action },
      footer: escapeHtml(footer),
    }),
    headers: {},
  }
}

const letterOf = (
  { purpose, pageName, expiresAt }: ConfirmationRequested,
  { baseUrl, organizationName, language, token }: ConfirmationContext,
): Letter => {
  const page = pageName ?? organizationName
  const { confirmation } = language
  return purpose === 'confirm'
    ? {
        subject: confirmation.subject(page),
        lines: [confirmation.question(page), confirmation.validUntil(utc(new Date(expiresAt)))],
        action: confirmation.action,
        url: `${baseUrl}/subscriptions/confirm/${token}`,
      }
    : {
        subject: confirmation.knownSubject(page),
        lines: [confirmation.known(page)],
        action: language.manage,
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
  { baseUrl, token }: Pick<ConfirmationContext, 'baseUrl' | 'token'>,
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
