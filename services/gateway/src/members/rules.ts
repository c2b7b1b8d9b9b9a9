/** Rules of members: the last OWNER stays, and events and audit entries of changes. */
import {
  type AuditDraft,
  conflict,
  type DataOf,
  type Event,
  type EventDraft,
  emit,
  type FieldChange,
  memberAdded,
  memberRemoved,
  memberUpdated,
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

export const nothingRevoked: RevokedGrants = Object.freeze({
  disabledApiKeys: [],
  transferredApiKeys: [],
  withdrawnInvitations: [],
})

export const validateLastOwner = (member: Pick<MemberFields, 'role'>, owners: number): void => {
  if (member.role !== 'OWNER' || owners > 1) return
  throw conflict('last_owner', 'The last OWNER cannot leave or lose the role')
}

interface MemberOutcome {
  events: EventDraft[]
  audit: AuditDraft[]
}

/**
 * Events and audit entry of a new member. `by` describes the origin of the membership, such as an
 * invitation.
 */
export const membershipCreated = (
  member: Omit<MemberFields, 'version'>,
  by: Record<string, FieldChange> = {},
): MemberOutcome => ({
  events: [memberJoined(member)],
  audit: [entry('member.create', member, { role: { to: member.role }, ...by }, nothingRevoked)],
})

export const memberJoined = (member: Omit<MemberFields, 'version'>): EventDraft =>
  memberEvent(memberAdded, { ...member, version: 0 }, member.role)

export const roleChanged = (
  before: MemberFields,
  role: string,
  revokedGrants: RevokedGrants,
): MemberOutcome => ({
  events: [memberEvent(memberUpdated, before, role)],
  audit: [entry('member.update', before, { role: { from: before.role, to: role } }, revokedGrants)],
})

/**
 * Outcome for a member whose unverified address was released to its owner; `email` is the
 * placeholder.
 */
export const addressReleased = (member: MemberFields): MemberOutcome => ({
  events: [memberEvent(memberUpdated, member, member.role)],
  audit: [entry('member.update', member, { email: { to: member.email } }, nothingRevoked)],
})

export const membershipRemoved = (
  member: MemberFields,
  revokedGrants: RevokedGrants,
): MemberOutcome => ({
  events: [memberEvent(memberRemoved, member, member.role)],
  audit: [entry('member.delete', member, { role: { from: member.role } }, revokedGrants)],
})

type MemberEvent = typeof memberAdded | typeof memberUpdated | typeof memberRemoved

const memberEvent = (event: MemberEvent, member: MemberFields, role: string): EventDraft => {
  const { membershipId, version, userId, email, name } = member
  const data: DataOf<MemberEvent> = { member: { userId, email, name, role } }
  return emit(event as Event, { id: membershipId, version: version + 1 }, data)
}

const entry = (
  action: 'member.create' | 'member.update' | 'member.delete',
  { userId, email }: Pick<MemberFields, 'userId' | 'email'>,
  changes: Record<string, FieldChange>,
  revokedGrants: RevokedGrants,
): AuditDraft => ({
  action,
  entityType: 'member',
  entityId: userId,
  entityName: email,
  changes: { ...changes, ...revocationChanges(revokedGrants) },
})

/** Audit changes of revoked grants; empty outcomes are omitted. */
export const revocationChanges = (revokedGrants: RevokedGrants): Record<string, FieldChange> =>
  Object.fromEntries(
    Object.entries(revokedGrants)
      .filter(([, ids]) => ids.length > 0)
      .map(([name, ids]) => [name, { to: ids }]),
  )
