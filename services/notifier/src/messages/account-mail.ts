/** Mail about an account: an invitation, a reset, a warning. Tokens appear in this mail only. */
import type {
  accountInvited,
  accountResetRequested,
  accountTestRequested,
  accountVerificationRequested,
  accountWarned,
  EventDataOf,
} from '@status-page/contracts'
import type { ReaderLanguage } from './language.ts'
import { escapeHtml, type MailContent, toOneLine } from './mail.ts'
import { mailFrameHtml } from './mail-frame.ts'

export type AccountEvent =
  | { kind: 'account.invited'; data: EventDataOf<typeof accountInvited> }
  | { kind: 'account.reset-requested'; data: EventDataOf<typeof accountResetRequested> }
  | {
      kind: 'account.verification-requested'
      data: EventDataOf<typeof accountVerificationRequested>
    }
  | { kind: 'account.test-requested'; data: EventDataOf<typeof accountTestRequested> }
  | { kind: 'account.warned'; data: EventDataOf<typeof accountWarned> }

export interface AccountContext {
  baseUrl: string
  organizationName: string
  language: ReaderLanguage
  /** Decrypted token; null where the event carries none. */
  token: string | null
}

interface MailText {
  subject: string
  lines: string[]
  /** Page of the gateway that uses the token, and the label of the link to it. */
  link: { path: string; label: string } | null
}

export const accountMail = (event: AccountEvent, context: AccountContext): MailContent => {
  const { subject, lines, link } = mailTextOf(event, context)
  const { baseUrl, organizationName, language, token } = context
  const { account } = language
  const footer = account.footer(event.data.email, baseUrl)
  const action =
    link === null || token === null
      ? null
      : {
          url: `${baseUrl.replace(/\/+$/, '')}${link.path}/${encodeURIComponent(token)}`,
          label: link.label,
        }
  return {
    subject: toOneLine(subject),
    text: [
      ...lines,
      '',
      ...(action === null ? [] : [`${action.label}:`, action.url, '']),
      '-- ',
      footer,
    ].join('\n'),
    html: mailFrameHtml({
      senderName: organizationName,
      language,
      appearance: null,
      headline: toOneLine(subject),
      content: lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n'),
      action,
      footer: escapeHtml(footer),
    }),
    headers: {},
  }
}

const mailTextOf = (
  event: AccountEvent,
  { organizationName, language }: AccountContext,
): MailText => {
  const { invited, reset, verify, test, warned } = language.account
  switch (event.kind) {
    case 'account.invited':
      return {
        subject: invited.subject(event.data.organizationName),
        lines: [
          invited.line(event.data.invitedBy ?? invited.administrator, event.data.organizationName),
          invited.validUntil(language.time(new Date(event.data.expiresAt))),
        ],
        link: { path: '/invitations', label: invited.action },
      }
    case 'account.reset-requested':
      return {
        subject: reset.subject,
        lines: [reset.line, reset.validUntil(language.time(new Date(event.data.expiresAt)))],
        link: { path: '/reset-password', label: reset.action },
      }
    case 'account.verification-requested':
      return {
        subject: verify.subject,
        lines: [verify.line, verify.validUntil(language.time(new Date(event.data.expiresAt)))],
        link: { path: '/confirm-email', label: verify.action },
      }
    case 'account.test-requested':
      return { subject: test.subject(organizationName), lines: [test.line], link: null }
    case 'account.warned':
      return {
        subject: warned.subject(organizationName),
        lines: [
          warned.warnings[event.data.warning],
          warned.seen(
            language.time(new Date(event.data.at)),
            event.data.ipAddress ?? warned.unknownPlace,
          ),
        ],
        link: null,
      }
  }
}
