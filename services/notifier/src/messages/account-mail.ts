/** Mail about an account: an invitation, a reset, a warning. Tokens appear in this mail only. */
import type {
  accountInvited,
  accountResetRequested,
  accountVerificationRequested,
  accountWarned,
  EventDataOf,
} from '@status-page/contracts'
import type { MessageLanguage } from './language.ts'
import { escapeHtml, formatUtc, type MailContent, mailFrameHtml, toOneLine } from './mail.ts'

export type AccountEvent =
  | { kind: 'account.invited'; data: EventDataOf<typeof accountInvited> }
  | { kind: 'account.reset-requested'; data: EventDataOf<typeof accountResetRequested> }
  | {
      kind: 'account.verification-requested'
      data: EventDataOf<typeof accountVerificationRequested>
    }
  | { kind: 'account.warned'; data: EventDataOf<typeof accountWarned> }

export interface AccountContext {
  baseUrl: string
  organizationName: string
  language: MessageLanguage
  /** Decrypted token; null where the event carries none. */
  token: string | null
}

interface MailText {
  subject: string
  lines: string[]
  /** API call that the reader makes, and its fields besides the token. */
  call: { path: string; fields: string } | null
}

const COLOUR = '#3949ab'

export const accountMail = (event: AccountEvent, context: AccountContext): MailContent => {
  const { subject, lines, call } = mailTextOf(event, context)
  const { baseUrl, organizationName, language, token } = context
  const { account } = language
  const footer = account.footer(event.data.email, baseUrl)
  const step =
    call === null || token === null
      ? null
      : { token, post: `POST ${baseUrl}/api/v1${call.path}`, rest: account.callWith(call.fields) }
  return {
    subject: toOneLine(subject),
    text: [
      ...lines,
      '',
      ...(step === null ? [] : [`${account.token}: ${step.token}`, step.post, step.rest]),
      '',
      '-- ',
      footer,
    ].join('\n'),
    html: mailFrameHtml({
      senderName: organizationName,
      language,
      headline: toOneLine(subject),
      colour: COLOUR,
      title: subject,
      content: [
        ...lines.map((line) => `<p>${escapeHtml(line)}</p>`),
        ...(step === null
          ? []
          : [
              `<p>${account.token}<br><code dir="ltr">${escapeHtml(step.token)}</code></p>`,
              `<p><code dir="ltr">${escapeHtml(step.post)}</code><br>${escapeHtml(step.rest)}</p>`,
            ]),
      ].join('\n'),
      footer: escapeHtml(footer),
    }),
    headers: {},
  }
}

const mailTextOf = (
  event: AccountEvent,
  { organizationName, language }: AccountContext,
): MailText => {
  const { invited, reset, verify, warned } = language.account
  switch (event.kind) {
    case 'account.invited':
      return {
        subject: invited.subject(event.data.organizationName),
        lines: [
          invited.line(event.data.invitedBy ?? invited.administrator, event.data.organizationName),
          invited.validUntil(formatUtc(new Date(event.data.expiresAt))),
        ],
        call: { path: '/auth/invitations/accept', fields: invited.fields },
      }
    case 'account.reset-requested':
      return {
        subject: reset.subject,
        lines: [reset.line, reset.validUntil(formatUtc(new Date(event.data.expiresAt)))],
        call: { path: '/auth/password/reset', fields: 'newPassword' },
      }
    case 'account.verification-requested':
      return {
        subject: verify.subject,
        lines: [verify.line, verify.validUntil(formatUtc(new Date(event.data.expiresAt)))],
        call: { path: '/auth/email/verify', fields: verify.fields },
      }
    case 'account.warned':
      return {
        subject: warned.subject(organizationName),
        lines: [
          warned.warnings[event.data.warning],
          warned.seen(
            formatUtc(new Date(event.data.at)),
            event.data.ipAddress ?? warned.unknownPlace,
          ),
        ],
        call: null,
      }
  }
}
