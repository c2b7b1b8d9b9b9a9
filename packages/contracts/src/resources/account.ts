/**
 * The caller's own account: password, second factor, sessions. Requires a session; API keys have
 * none of these.
 */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import {
  Email,
  Id,
  IdParams,
  Nullable,
  OneLine,
  OneTimeSecret,
  Success,
  Timestamp,
} from '../scalars.ts'
import { EnteredPassword, Identity, NewPassword } from './auth.ts'

const Token = Type.String({ minLength: 1, maxLength: 128, writeOnly: true })
const Code = Type.String({ minLength: 1, maxLength: 32, writeOnly: true })

export const passwordOperations = operationsOf('gateway', 'password', {
  change: {
    route: 'POST /auth/password',
    summary: 'Change the password',
    description:
      'Requires the current password (400 with field `currentPassword` when it is wrong). The ' +
      'new password has 8 characters to 72 bytes, differs from the e-mail address of the ' +
      'account and, depending on the settings of the installation, must not be a common ' +
      'password; it is not normalized. All other sessions of the user end, the current session ' +
      'gets a new cookie, and links in earlier reset mails become invalid. 403 for API keys. ' +
      'Audited as `auth.password_change`.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ currentPassword: EnteredPassword, newPassword: NewPassword }),
    reply: Success,
  },
  forgot: {
    route: 'POST /auth/password/forgot',
    status: 202,
    summary: 'Request a password reset mail',
    description:
      'Returns 202 for every address, known or not. An account with a password receives a mail ' +
      'with a link that is valid once and for one hour; at most three mails per hour and ' +
      'address. An account without a password logs in through its identity provider and ' +
      'receives no mail.',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ email: Email }),
    reply: Success,
  },
  reset: {
    route: 'POST /auth/password/reset',
    summary: 'Reset the password',
    description:
      'Sets a new password with the token of a reset mail. A rejected password (400 with field ' +
      '`newPassword`) does not use the token up. 400 with field `token` for an unknown, used ' +
      'or expired token. All sessions of the user end and no new one starts; log in ' +
      'afterwards. Audited as `auth.password_reset`.',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ token: Token, newPassword: NewPassword }),
    reply: Success,
  },
})

export const BACKUP_CODE_COUNT = 10

const BackupCodes = Type.Array(OneTimeSecret('Backup code, valid once'), {
  minItems: BACKUP_CODE_COUNT,
  maxItems: BACKUP_CODE_COUNT,
})

export const twoFactorOperations = operationsOf('gateway', 'two-factor', {
  check: {
    route: 'POST /auth/check-2fa',
    summary: 'Check whether a login requires a second factor',
    description:
      'For login pages that ask for the code in a second step. A wrong password gets the same ' +
      '401 as a login and counts as a failed login.',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ email: Type.String({ maxLength: 254 }), password: EnteredPassword }),
    reply: Type.Object({ twoFactorRequired: Type.Boolean() }),
  },
  read: {
    route: 'GET /auth/2fa',
    summary: 'Read the state of the second factor',
    description:
      'Whether login requires a code, since when, and the number of unused backup codes. 403 ' +
      'for API keys.',
    permission: 'session',
    reply: Type.Object({
      enabled: Type.Boolean(),
      enabledAt: Nullable(Timestamp),
      backupCodesRemaining: Type.Integer(),
    }),
  },
  setUp: {
    route: 'POST /auth/2fa/setup',
    summary: 'Start the setup of a second factor',
    description:
      'Returns the secret as text, as an `otpauth://` URL and as a QR code, once. The second ' +
      'factor is enabled only by `POST /auth/2fa/verify` within ten minutes; a new setup ' +
      'replaces the previous one. Requires the password (400 when it is wrong). 409 ' +
      '`invalid_state` when a second factor is enabled already.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ password: EnteredPassword }),
    reply: Type.Object({
      secret: OneTimeSecret('Base32'),
      otpauthUrl: OneTimeSecret('`otpauth://` URL for authenticator apps'),
      qrCode: OneTimeSecret('QR code of `otpauthUrl`, a PNG as a data URI'),
      qrCodeSvg: OneTimeSecret('QR code of `otpauthUrl` as SVG'),
      expiresAt: Timestamp,
    }),
  },
  verify: {
    route: 'POST /auth/2fa/verify',
    summary: 'Enable the second factor',
    description:
      'Enables the second factor with the first valid code and returns ten backup codes, once. ' +
      '400 for a wrong code; at most five attempts in 15 minutes (429). All other sessions ' +
      'end, and the current session gets a new cookie. 409 `invalid_state` when no setup was ' +
      'started or it has expired. Audited as `auth.2fa_enable`.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ code: Code }),
    reply: Type.Object({ enabled: Type.Literal(true), backupCodes: BackupCodes }),
  },
  renewBackupCodes: {
    route: 'POST /auth/2fa/backup-codes',
    summary: 'Replace the backup codes',
    description:
      'Returns ten new backup codes, once; the previous ones become invalid, and the other ' +
      'sessions end. Requires password and code (400 names the wrong field). 409 ' +
      '`invalid_state` without a second factor. Audited as `auth.backup_codes`.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ password: EnteredPassword, code: Code }),
    reply: Type.Object({ backupCodes: BackupCodes }),
  },
  disable: {
    route: 'POST /auth/2fa/disable',
    summary: 'Disable the second factor',
    description:
      'Requires password and code (400 names the wrong field). The backup codes are deleted, ' +
      'and the other sessions end. 403 while an organization of the user requires a second ' +
      'factor. 409 `invalid_state` without a second factor. Audited as `auth.2fa_disable`.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ password: EnteredPassword, code: Code }),
    reply: Success,
  },
})

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

export const sessionOperations = operationsOf('gateway', 'sessions', {
  list: {
    route: 'GET /auth/sessions',
    summary: "List the user's sessions",
    description:
      'Sessions of the user in all organizations, with IP address and user agent of their ' +
      'login. For a session that an identity provider opened, only sessions of its ' +
      'organization. 403 for API keys.',
    permission: 'session',
    query: listQuery(['createdAt'], {}),
    reply: listOf(Session),
  },
  remove: {
    route: 'DELETE /auth/sessions/{id}',
    summary: 'End a session of the user',
    description:
      "The next request with the session's cookie is unauthorized, on every replica. When the " +
      'session is that of the request, its cookie is cleared. 404 for a session that is not ' +
      'visible. Audited as `auth.logout`.',
    permission: 'session',
    params: IdParams,
    reply: Success,
  },
  switchOrganization: {
    route: 'POST /auth/organization',
    summary: 'Switch to another organization of the user',
    description:
      'Ends the session and starts one in the other organization, with the same start time and ' +
      'a new cookie. 400 when the user is not a member of the organization, when the ' +
      'organization enforces single sign-on, or when an identity provider opened the session. ' +
      'Audited as a logout in the previous organization and a login in the new one.',
    permission: 'session',
    idempotencyKey: false,
    body: Type.Object({ organizationId: Id }),
    reply: Identity,
  },
})

export const invitationAcceptOperations = operationsOf('gateway', 'invitations', {
  accept: {
    route: 'POST /auth/invitations/accept',
    status: 201,
    summary: 'Accept an invitation',
    description:
      'Adds the user to the organization and starts a session in it. Returns 201 for a new ' +
      'user, 200 for a logged-in one. A new user sends `name` and `password` (400 names a ' +
      'missing field); an existing user must be logged in (401). An account without any ' +
      'organization gets the new password; with a second factor it also needs `code` (401 ' +
      "`TWO_FACTOR_REQUIRED`; 400 for a wrong code). A rejected request leaves the caller's " +
      'session unchanged. No session starts when the organization enforces single sign-on, ' +
      'unless the user is an OWNER with a second factor, or when an identity provider opened ' +
      "the caller's session; the user then logs in through the organization's provider. 400 " +
      'for an unknown, used, withdrawn or expired token; 409 `duplicate` for a member. Emits ' +
      '`member.added`.',
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
  },
})
