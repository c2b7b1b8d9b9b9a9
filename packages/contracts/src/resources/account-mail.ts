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
export const accountInvited = event({
  kind: 'account.invited',
  producers: ['gateway'],
  selectableBy: 'none',
  data: Type.Object({
    ...recipient,
    organizationName: Type.String(),
    invitedBy: Nullable(Type.String()),
    sealedToken: Type.String(),
    expiresAt: Timestamp,
  }),
})

export const accountResetRequested = event({
  kind: 'account.reset-requested',
  producers: ['gateway'],
  selectableBy: 'none',
  data: Type.Object({ ...recipient, sealedToken: Type.String(), expiresAt: Timestamp }),
})

export const accountVerificationRequested = event({
  kind: 'account.verification-requested',
  producers: ['gateway'],
  selectableBy: 'none',
  data: Type.Object({ ...recipient, sealedToken: Type.String(), expiresAt: Timestamp }),
})

export const accountWarnings = [
  'two_factor_guessed',
  'emergency_login',
  'organization_deletion_requested',
  'organization_deletion_withdrawn',
] as const
export type AccountWarning = (typeof accountWarnings)[number]

export const accountWarned = event({
  kind: 'account.warned',
  producers: ['gateway'],
  selectableBy: 'none',
  data: Type.Object({
    ...recipient,
    warning: Type.Unsafe<AccountWarning>({
      type: 'string',
      enum: [...accountWarnings],
    }),
    ipAddress: Nullable(Type.String()),
    at: Timestamp,
  }),
})
