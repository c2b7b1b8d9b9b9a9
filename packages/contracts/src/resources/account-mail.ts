/**
 * Account mail: invitations, tokens and security warnings. Sent immediately and exempt from the
 * notification limits.
 */
import { Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { Id, Nullable, Timestamp } from '../scalars.ts'

/** Recipient; `userId` is null for a person without an account. */
const recipient = { email: Type.String(), name: Nullable(Type.String()), userId: Nullable(Id) }

/** The token is encrypted: purpose `mail-token`, record = the event's aggregate. */
export const accountInvited = event(
  'account.invited',
  ['gateway'],
  Type.Object({
    ...recipient,
    organizationName: Type.String(),
    invitedBy: Nullable(Type.String()),
    sealedToken: Type.String(),
    expiresAt: Timestamp,
  }),
)

export const accountResetRequested = event(
  'account.reset-requested',
  ['gateway'],
  Type.Object({ ...recipient, sealedToken: Type.String(), expiresAt: Timestamp }),
)

export const accountVerificationRequested = event(
  'account.verification-requested',
  ['gateway'],
  Type.Object({ ...recipient, sealedToken: Type.String(), expiresAt: Timestamp }),
)

export const accountTestRequested = event(
  'account.test-requested',
  ['gateway'],
  Type.Object({ ...recipient, expiresAt: Timestamp }),
)

export const accountWarnings = [
  'two_factor_guessed',
  'emergency_login',
  'organization_deletion_requested',
  'organization_deletion_withdrawn',
] as const
export type AccountWarning = (typeof accountWarnings)[number]

export const accountWarned = event(
  'account.warned',
  ['gateway'],
  Type.Object({
    ...recipient,
    warning: Type.Unsafe<AccountWarning>({
      type: 'string',
      enum: [...accountWarnings],
    }),
    ipAddress: Nullable(Type.String()),
    at: Timestamp,
  }),
)
