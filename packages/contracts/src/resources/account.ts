/** One's own account: password, second factor, sessions. People only; a key has none of these. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery } from '../listing.ts'
import { operation } from '../operation.ts'
import { Email, Id, IdParams, Nullable, OneLine, Success, Timestamp } from '../scalars.ts'
import { GivenPassword, Identity, NewPassword } from './auth.ts'

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
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ currentPassword: GivenPassword, newPassword: NewPassword }),
    reply: Success,
  }),
  forgot: operation({
    id: 'password.forgot',
    service: 'gateway',
    method: 'POST',
    path: '/auth/password/forgot',
    status: 202,
    summary: 'Ask for a reset mail; the answer is the same for every address',
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
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ token: Token, newPassword: NewPassword }),
    reply: Success,
  }),
}

export const BACKUP_CODES = 10

const BackupCodes = Type.Array(Type.String(), { minItems: BACKUP_CODES, maxItems: BACKUP_CODES })

export const twoFactorOperations = {
  check: operation({
    id: 'two-factor.check',
    service: 'gateway',
    method: 'POST',
    path: '/auth/check-2fa',
    status: 200,
    summary: 'Whether a login with this password needs a code',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ email: Type.String({ maxLength: 254 }), password: GivenPassword }),
    reply: Type.Object({ twoFactorRequired: Type.Boolean() }),
  }),
  read: operation({
    id: 'two-factor.read',
    service: 'gateway',
    method: 'GET',
    path: '/auth/2fa',
    status: 200,
    summary: 'State of the second factor',
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
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ password: GivenPassword }),
    reply: Type.Object({
      secret: Type.String({ description: 'Base32' }),
      otpauthUrl: Type.String(),
      qrCode: Type.String({ description: 'PNG as a data URI' }),
      qrCodeSvg: Type.String({ description: 'The same as SVG' }),
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
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ password: GivenPassword, code: Code }),
    reply: Type.Object({ backupCodes: BackupCodes }),
  }),
  disable: operation({
    id: 'two-factor.disable',
    service: 'gateway',
    method: 'POST',
    path: '/auth/2fa/disable',
    status: 200,
    summary: 'Switch it off',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ password: GivenPassword, code: Code }),
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
  permission: 'public',
  bucket: 'auth',
  idempotencyKey: false,
  body: Type.Object({
    token: Token,
    name: Type.Optional(OneLine(100)),
    password: Type.Optional(NewPassword),
  }),
  reply: Identity,
})
