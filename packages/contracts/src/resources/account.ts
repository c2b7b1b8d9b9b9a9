/** One's own account: password, second factor, sessions. People only; a key has none of these. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery } from '../listing.ts'
import { operation } from '../operation.ts'
import {
  Email,
  Id,
  IdParams,
  Nullable,
  OneLine,
  ShownSecret,
  Success,
  Timestamp,
} from '../scalars.ts'
import { EnteredPassword, Identity, NewPassword } from './auth.ts'

const Token = Type.String({ minLength: 1, maxLength: 128, writeOnly: true })
const Code = Type.String({ minLength: 1, maxLength: 32, writeOnly: true })

export const passwordOperations = {
  change: operation({
    id: 'password.change',
    service: 'gateway',
    method: 'POST',
    path: '/auth/password',
    status: 200,
    summary: 'Change the password; other sessions end',
    description:
      'The current password is asked for although there is a session: a session may be ' +
      "somebody else's by now (400 names `currentPassword`). The new one has 8 characters " +
      'to 72 bytes, taken byte for byte, is not the own address and, where the operator ' +
      'wants it so, not a common one. All other sessions of the user end, this one gets a ' +
      'new cookie, and links in reset mails end too. 403 for API keys; audited as ' +
      '`auth.password_change`.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ currentPassword: EnteredPassword, newPassword: NewPassword }),
    reply: Success,
  }),
  forgot: operation({
    id: 'password.forgot',
    service: 'gateway',
    method: 'POST',
    path: '/auth/password/forgot',
    status: 202,
    summary: 'Ask for a reset mail; the answer is the same for every address',
    description:
      'Answers 202 for every address, known or not. An account with a password gets a mail ' +
      'whose link works once and for an hour; an address gets three mails an hour at most. ' +
      'An account without a password logs in through its identity provider and gets none.',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ email: Email }),
    reply: Success,
  }),
  reset: operation({
    id: 'password.reset',
    service: 'gateway',
    method: 'POST',
    path: '/auth/password/reset',
    status: 200,
    summary: 'Set a password by the token of a reset mail; all sessions end',
    description:
      'The token is used up by success only: a password that is refused (400 names ' +
      '`newPassword`) can be mended and sent again. An unknown, used or expired token is ' +
      '400 and names `token`. All sessions of the user end and none begins: log in anew. ' +
      'Audited as `auth.password_reset`.',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ token: Token, newPassword: NewPassword }),
    reply: Success,
  }),
}

export const BACKUP_CODES = 10

const BackupCodes = Type.Array(ShownSecret('Valid once'), {
  minItems: BACKUP_CODES,
  maxItems: BACKUP_CODES,
})

export const twoFactorOperations = {
  check: operation({
    id: 'two-factor.check',
    service: 'gateway',
    method: 'POST',
    path: '/auth/check-2fa',
    status: 200,
    summary: 'Whether a login with this password needs a code',
    description:
      'For a login page that shows the code only to who needs it. Nothing is told before ' +
      'the password is right: until then it is the same 401 as that of a login, and counts ' +
      'as an attempt of it.',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ email: Type.String({ maxLength: 254 }), password: EnteredPassword }),
    reply: Type.Object({ twoFactorRequired: Type.Boolean() }),
  }),
  read: operation({
    id: 'two-factor.read',
    service: 'gateway',
    method: 'GET',
    path: '/auth/2fa',
    status: 200,
    summary: 'State of the second factor',
    description:
      'Whether a code is asked for at login, since when, and how many backup codes are ' +
      'left. 403 for API keys: they have no second factor.',
    permission: 'session',
    reply: Type.Object({
      enabled: Type.Boolean(),
      enabledAt: Nullable(Timestamp),
      backupCodesRemaining: Type.Integer(),
    }),
  }),
  setUp: operation({
    id: 'two-factor.setUp',
    service: 'gateway',
    method: 'POST',
    path: '/auth/2fa/setup',
    status: 200,
    summary: 'Make a secret; it lives ten minutes until it is verified',
    description:
      'Answers the secret as text, as an `otpauth://` URL and as a QR code, this once. ' +
      'Nothing is switched on before its first right code (`POST /auth/2fa/verify`); a new ' +
      'set-up takes the place of the one before. The password is asked for (400). 409 ' +
      '`invalid_state` where a second factor is switched on already.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ password: EnteredPassword }),
    reply: Type.Object({
      secret: ShownSecret('Base32'),
      otpauthUrl: ShownSecret('For authenticator apps'),
      qrCode: ShownSecret('PNG as a data URI'),
      qrCodeSvg: ShownSecret('The same as SVG'),
      expiresAt: Timestamp,
    }),
  }),
  verify: operation({
    id: 'two-factor.verify',
    service: 'gateway',
    method: 'POST',
    path: '/auth/2fa/verify',
    status: 200,
    summary: 'Switch it on by the first right code; answers the backup codes, once',
    description:
      'Switches the second factor on and answers ten backup codes, which are never shown ' +
      'again. A wrong code is 400 and counts towards the limit of five in 15 minutes (429). ' +
      'All other sessions end, this one gets a new cookie. 409 `invalid_state` where there ' +
      'is no set-up, or it has expired. Audited as `auth.2fa_enable`.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ code: Code }),
    reply: Type.Object({ enabled: Type.Literal(true), backupCodes: BackupCodes }),
  }),
  renewBackupCodes: operation({
    id: 'two-factor.renewBackupCodes',
    service: 'gateway',
    method: 'POST',
    path: '/auth/2fa/backup-codes',
    status: 200,
    summary: 'New backup codes; the old ones end',
    description:
      'Password and code are both asked for (400 names the wrong one). The ten new codes ' +
      'are shown this once, the old ones are worth nothing from then on, and the other ' +
      'sessions end. 409 `invalid_state` without a second factor. Audited as ' +
      '`auth.backup_codes`.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ password: EnteredPassword, code: Code }),
    reply: Type.Object({ backupCodes: BackupCodes }),
  }),
  disable: operation({
    id: 'two-factor.disable',
    service: 'gateway',
    method: 'POST',
    path: '/auth/2fa/disable',
    status: 200,
    summary: 'Switch it off',
    description:
      'Password and code are both asked for (400 names the wrong one). The backup codes go ' +
      'with it and the other sessions end. 403 while an organization of the user requires a ' +
      'second factor. 409 `invalid_state` without one. Audited as `auth.2fa_disable`.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ password: EnteredPassword, code: Code }),
    reply: Success,
  }),
}

export const Session = Type.Object({
  id: Id,
  isCurrent: Type.Boolean(),
  ipAddress: Nullable(Type.String()),
  userAgent: Nullable(Type.String()),
  lastUsedAt: Timestamp,
  expiresAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Session = Static<typeof Session>

export const sessionOperations = {
  list: operation({
    id: 'sessions.list',
    service: 'gateway',
    method: 'GET',
    path: '/auth/sessions',
    status: 200,
    summary: "List one's own sessions",
    description:
      'Sessions of the user in all their organizations, with the address and the program of ' +
      'their last login. A session that an identity provider opened sees those of its own ' +
      'organization only. 403 for API keys.',
    permission: 'session',
    query: listQuery(['createdAt'], {}),
    reply: listOf(Session),
  }),
  remove: operation({
    id: 'sessions.remove',
    service: 'gateway',
    method: 'DELETE',
    path: '/auth/sessions/{id}',
    status: 200,
    summary: "End one of one's own sessions",
    description:
      'Whoever holds its cookie is logged out with their next request, on every replica. ' +
      'Ending the session of the request itself clears its cookie. 404 for a session that ' +
      'is not visible. Audited as `auth.logout`.',
    permission: 'session',
    params: IdParams,
    reply: Success,
  }),
  switchOrganization: operation({
    id: 'sessions.switchOrganization',
    service: 'gateway',
    method: 'POST',
    path: '/auth/organization',
    status: 200,
    summary: 'Go on in another organization of the user',
    description:
      'Ends the session and begins one in the other organization, as old as the one before; ' +
      'the answer sets its cookie. 400 for an organization that the user does not belong ' +
      'to, that asks for its identity provider, or, for a session that a provider opened, ' +
      'for any other than its own. Audited as a logout there and a login here.',
    permission: 'session',
    idempotencyKey: false,
    body: Type.Object({ organizationId: Id }),
    reply: Identity,
  }),
}

export const acceptInvitation = operation({
  id: 'invitations.accept',
  service: 'gateway',
  method: 'POST',
  path: '/auth/invitations/accept',
  status: 201,
  summary: 'Join by the token of an invitation: 201 for a new user, 200 for one who is logged in',
  description:
    'A new person brings name and password (400 names what is missing); who has an ' +
    'account proves it by their own session (else 401). An account that belongs to no ' +
    'organization any more gets the new password, and where it has a second factor `code` ' +
    'is asked for too (`TWO_FACTOR_REQUIRED`; 400 names a wrong one). A refused request ' +
    'leaves the session of the caller alone. Makes the member (`member.added`) ' +
    'and begins a session in the organization. No session begins where the organization ' +
    'enforces single sign-on and the person is not an OWNER with a second factor, or ' +
    'where the session that proved them was opened by an identity provider: they come in ' +
    "by the organization's provider then. An unknown, used, withdrawn or expired token is " +
    '400; 409 `duplicate` for a member.',
  permission: 'public',
  bucket: 'auth',
  idempotencyKey: false,
  body: Type.Object({
    token: Token,
    name: Type.Optional(OneLine(100)),
    password: Type.Optional(NewPassword),
    code: Type.Optional(Code),
  }),
  reply: Identity,
})
