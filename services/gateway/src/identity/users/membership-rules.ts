/** Rules of members: the last OWNER stays, and events and audit entries of changes. */
import {
  type AuditDraft,
  conflict,
  draftAudit,
  draftEvent,
  type Event,
  type EventDataOf,
  type EventDraft,
  type FieldChange,
  memberAdded,
  memberRemoved,
  memberUpdated,
  type OutcomeDrafts,
} from '@status-page/contracts'

export interface MemberFields {
  membershipId: string
  version: number
  userId: string
  email: string
  name: string
  role: string
}

/** Ids of revoked API keys and invitations, by outcome. */
export interface RevokedGrants {
  disabledApiKeys: string[]
  transferredApiKeys: string[]
  withdrawnInvitations: string[]
}

export const noRevokedGrants: RevokedGrants = Object.freeze({
  disabledApiKeys: [],
  transferredApiKeys: [],
  withdrawnInvitations: [],
})

export const validateLastOwner = (member: Pick<MemberFields, 'role'>, owners: number): void => {
  if (member.role !== 'OWNER' || owners > 1) return
  throw conflict('last_owner', 'The last OWNER cannot leave or lose the role')
}

/**
 * Events and audit entry of a new member. `by` describes the origin of the membership, such as an
 * invitation.
 */
export const membershipCreationOutcome = (
  member: Omit<MemberFields, 'version'>,
  by: Record<string, FieldChange> = {},
): OutcomeDrafts => ({
  events: [memberAddedEvent(member)],
  audit: [entry('member.create', member, { role: { to: member.role }, ...by }, noRevokedGrants)],
})

export const memberAddedEvent = (member: Omit<MemberFields, 'version'>): EventDraft =>
  memberEvent(memberAdded, { ...member, version: 0 }, member.role)

export const roleChangeOutcome = (
  before: MemberFields,
  role: string,
  revokedGrants: RevokedGrants,
): OutcomeDrafts => ({
  events: [memberEvent(memberUpdated, before, role)],
  audit: [entry('member.update', before, { role: { from: before.role, to: role } }, revokedGrants)],
})

/**
 * Outcome for a member whose unverified address was released to its owner; `email` is the
 * placeholder.
 */
export const addressReleaseOutcome = (member: MemberFields): OutcomeDrafts => ({
  events: [memberChangeEvent(member)],
  audit: [entry('member.update', member, { email: { to: member.email } }, noRevokedGrants)],
})

export const membershipRemovalOutcome = (
  member: MemberFields,
  revokedGrants: RevokedGrants,
): OutcomeDrafts => ({
  events: [memberEvent(memberRemoved, member, member.role)],
  audit: [entry('member.delete', member, { role: { from: member.role } }, revokedGrants)],
})

/** Event of a member whose account has another name or address. */
export const memberChangeEvent = (member: MemberFields): EventDraft =>
  memberEvent(memberUpdated, member, member.role)

type MemberEvent = typeof memberAdded | typeof memberUpdated | typeof memberRemoved

const memberEvent = (event: MemberEvent, member: MemberFields, role: string): EventDraft => {
  const { membershipId, version, userId, email, name } = member
  const data: EventDataOf<MemberEvent> = { member: { userId, email, name, role } }
  return draftEvent(event as Event, { id: membershipId, version: version + 1 }, data)
}

const entry = (
  action: 'member.create' | 'member.update' | 'member.delete',
  { userId, email }: Pick<MemberFields, 'userId' | 'email'>,
  changes: Record<string, FieldChange>,
  revokedGrants: RevokedGrants,
): AuditDraft =>
  draftAudit(
    action,
    { id: userId, name: email },
    { ...changes, ...revocationAuditChanges(revokedGrants) },
  )

/** Audit changes of revoked grants; empty outcomes are omitted. */
export const revocationAuditChanges = (revokedGrants: RevokedGrants): Record<string, FieldChange> =>
  Object.fromEntries(
    Object.entries(revokedGrants)
      .filter(([, ids]) => ids.length > 0)
      .map(([name, ids]) => [name, { to: ids }]),
  )
