/** Mail about an account: an invitation, a reset, a warning. Tokens are for the reader alone. */
import type {
  AccountWarning,
  accountInvited,
  accountResetRequested,
  accountWarned,
  DataOf,
} from '@status-page/contracts'
import { escapeHtml, frame, type MailContent, oneLine, utc } from './mail.ts'

export type AccountNews =
  | { kind: 'account.invited'; data: DataOf<typeof accountInvited> }
  | { kind: 'account.reset-requested'; data: DataOf<typeof accountResetRequested> }
  | { kind: 'account.warned'; data: DataOf<typeof accountWarned> }

export interface AccountContext {
  baseUrl: string
  organizationName: string
  /** Opened; null where the news carries none. */
  token: string | null
}

interface Letter {
  subject: string
  lines: string[]
  /** A call of the API that the reader makes, and with what. */
  call: { path: string; token: string; fields: string } | null
}

const COLOUR = '#3949ab'

export const accountMail = (news: AccountNews, context: AccountContext): MailContent => {
  const letter = letterOf(news, context)
  const { baseUrl, organizationName } = context
  const call = letter.call && { ...letter.call, url: `${baseUrl}/api/v1${letter.call.path}` }
  const footer = `You get this because somebody used ${news.data.email} at ${baseUrl}.`
  const steps =
    call === null
      ? []
      : [`Token: ${call.token}`, `POST ${call.url} with the token and ${call.fields}`]
  return {
    subject: oneLine(letter.subject),
    text: [...letter.lines, '', ...steps, '', '-- ', footer].join('\n'),
    html: frame({
      organizationName,
      headline: oneLine(letter.subject),
      colour: COLOUR,
      title: letter.subject,
      content: [
        ...letter.lines.map((line) => `<p>${escapeHtml(line)}</p>`),
        ...(call === null
          ? []
          : [
              `<p>Token<br><code>${escapeHtml(call.token)}</code></p>`,
              `<p><code>POST ${escapeHtml(call.url)}</code><br>with the token and ${escapeHtml(call.fields)}</p>`,
            ]),
      ].join('\n'),
      footer: escapeHtml(footer),
    }),
    headers: {},
  }
}

const warnings: Record<AccountWarning, string> = {
  two_factor_guessed:
    'Somebody who knows your password has given wrong two-factor codes several times. If that was not you, change your password.',
  emergency_login:
    'An owner has logged in by password and second factor although single sign-on is enforced.',
}

const letterOf = (news: AccountNews, { organizationName, token }: AccountContext): Letter => {
  switch (news.kind) {
    case 'account.invited':
      return {
        subject: `Join ${news.data.organizationName}`,
        lines: [
          `${news.data.invitedBy ?? 'An administrator'} invites you to ${news.data.organizationName}.`,
          `The invitation is valid until ${utc(new Date(news.data.expiresAt))}.`,
        ],
        call: callOf('/auth/invitations/accept', token, 'a name and a password if you are new'),
      }
    case 'account.reset-requested':
      return {
        subject: 'Set a new password',
        lines: [
          'Somebody, probably you, asked for a new password. If not, ignore this mail.',
          `The token works once, until ${utc(new Date(news.data.expiresAt))}.`,
        ],
        call: callOf('/auth/password/reset', token, 'newPassword'),
      }
    case 'account.warned':
      return {
        subject: `Security notice from ${organizationName}`,
        lines: [
          warnings[news.data.warning],
          `At ${utc(new Date(news.data.at))}, from ${news.data.ipAddress ?? 'an unknown address'}.`,
        ],
        call: null,
      }
  }
}

const callOf = (path: string, token: string | null, fields: string): Letter['call'] =>
  token === null ? null : { path, token, fields }
