/**
 * Confirmation of a subscription, and the link to manage existing subscriptions, by mail, text
 * message and webhook.
 */
import { type ConfirmationRequested, subscriberConfirmationRequested } from '@status-page/contracts'
import type { PageAppearance } from '../audiences/pages.ts'
import type { ReaderLanguage } from './language.ts'
import { escapeHtml, type MailContent, toOneLine } from './mail.ts'
import { mailFrameHtml } from './mail-frame.ts'
import { smsText } from './sms-text.ts'

/** True for a confirmation request, which is sent to destinations that are not active. */
export const isConfirmation = <Event extends { kind: string; payload: unknown }>(
  event: Event,
): event is Event & { payload: ConfirmationRequested } =>
  event.kind === subscriberConfirmationRequested.kind

export interface ConfirmationContext {
  baseUrl: string
  senderName: string
  /** Look of the page; null for a subscription to all pages. */
  appearance: PageAppearance | null
  language: ReaderLanguage
  /** Decrypted token. */
  token: string
}

interface MailText {
  subject: string
  lines: string[]
  action: string
  url: string
}

export const confirmationMail = (
  request: ConfirmationRequested,
  context: ConfirmationContext,
): MailContent => {
  const mailText = mailTextOf(request, context)
  const { appearance, language, senderName, baseUrl } = context
  const footer = language.confirmation.footer(request.subscriber.email ?? '', baseUrl)
  return {
    subject: toOneLine(mailText.subject),
    text: [
      ...mailText.lines,
      '',
      language.link(mailText.action, mailText.url),
      '',
      '-- ',
      footer,
    ].join('\n'),
    html: mailFrameHtml({
      senderName,
      language,
      appearance,
      headline: toOneLine(mailText.subject),
      content: mailText.lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n'),
      action: { url: mailText.url, label: mailText.action },
      footer: escapeHtml(footer),
    }),
    headers: {},
  }
}

const mailTextOf = (
  { purpose, pageName, expiresAt }: ConfirmationRequested,
  { baseUrl, senderName, language, token }: ConfirmationContext,
): MailText => {
  const page = pageName ?? senderName
  const { confirmation } = language
  return purpose === 'confirm'
    ? {
        subject: confirmation.subject(page),
        lines: [
          confirmation.question(page),
          confirmation.validUntil(language.time(new Date(expiresAt))),
        ],
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

/** Confirmation request as a text message; the link is never truncated. */
export const confirmationText = (
  request: ConfirmationRequested,
  context: ConfirmationContext,
): string => {
  const { subject, url } = mailTextOf(request, context)
  return smsText(toOneLine(`[${context.senderName}] ${subject}:`), url)
}

/**
 * Webhook body of a confirmation request; rendered again for each attempt to the same bytes,
 * because the token is not stored in the clear.
 */
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
