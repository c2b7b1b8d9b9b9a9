/** Rules of invitations: limits, allowed domains, status, mail and audit entry. */
import {
  type AuditDraft,
  accountInvited,
  conflict,
  draftAudit,
  draftEvent,
  type EventDraft,
  type Invitation,
  invalid,
} from '@status-page/contracts'

export interface InvitationFields {
  id: string
  email: string
  role: string
  acceptedAt: Date | null
  expiresAt: Date
}

export const INVITATION_LIFETIME_MS = 7 * 24 * 3_600_000

export const MAX_OPEN_INVITATIONS = 1_000

export const validateOpenInvitations = (count: number): void => {
  if (count < MAX_OPEN_INVITATIONS) return
  const message = `An organization can have at most ${MAX_OPEN_INVITATIONS} open invitations`
  throw conflict('invalid_state', message)
}

/**
 * Requires one of the allowed domains, compared exactly; an empty list allows all. Checked again on
 * acceptance.
 */
export const validateDomain = (email: string, allowed: readonly string[]): void => {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  if (allowed.length === 0 || allowed.includes(domain)) return
  const message = 'email must be of a domain allowed by the organization'
  throw invalid({ field: 'email', message, expected: allowed })
}

export const unusableTokenError = () =>
  invalid({ field: 'token', message: 'token is unknown, used, withdrawn or expired' })

export const invitationStatusOf = (
  { acceptedAt, expiresAt }: Pick<InvitationFields, 'acceptedAt' | 'expiresAt'>,
  now: Date,
): Invitation['status'] => {
  if (acceptedAt !== null) return 'accepted'
  return expiresAt > now ? 'pending' : 'expired'
}

export interface InvitationMail {
  organizationName: string
  /** Name of the inviting user; null for an API key without a creator. */
  invitedBy: string | null
  /** Id of an existing account of the address; null without one. */
  userId: string | null
  sealedToken: string
}

/** Event that triggers the invitation mail. */
export const invitationMailEvent = (row: InvitationFields, mail: InvitationMail): EventDraft =>
  draftEvent(
    accountInvited,
    { id: row.id, version: 1 },
    { ...mail, email: row.email, name: null, expiresAt: row.expiresAt.toISOString() },
  )

export const invitationAudit = (
  action: 'invitation.create' | 'invitation.delete',
  { id, email, role }: InvitationFields,
): AuditDraft => {
  const changes = { email: { to: email }, role: { to: role } }
  return draftAudit(action, { id, name: email }, action === 'invitation.delete' ? {} : changes)
}
