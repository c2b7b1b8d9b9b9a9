/** Members: the last OWNER stays, and what somebody gave ends with the rights that they gave it by. */
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

export interface MemberFacts {
  membershipId: string
  version: number
  userId: string
  email: string
  name: string
  role: string
}

/** Ids of what somebody had given, by what became of them. */
export interface Withdrawn {
  disabledApiKeys: string[]
  transferredApiKeys: string[]
  withdrawnInvitations: string[]
}

export const nothingWithdrawn: Withdrawn = Object.freeze({
  disabledApiKeys: [],
  transferredApiKeys: [],
  withdrawnInvitations: [],
})

export const validateLastOwner = (member: Pick<MemberFacts, 'role'>, owners: number): void => {
  if (member.role !== 'OWNER' || owners > 1) return
  throw conflict('last_owner', 'The last OWNER cannot leave or lose the role')
}

interface Told {
  events: EventDraft[]
  audit: AuditDraft[]
}

/** `by`: what brought the member here, such as an invitation. */
export const joined = (
  member: Omit<MemberFacts, 'version'>,
  by: Record<string, FieldChange> = {},
): Told => ({
  events: [memberJoined(member)],
  audit: [entry('member.create', member, { role: { to: member.role }, ...by }, nothingWithdrawn)],
})

export const memberJoined = (member: Omit<MemberFacts, 'version'>): EventDraft =>
  aboutMember(memberAdded, { ...member, version: 0 }, member.role)

export const roleChanged = (before: MemberFacts, role: string, withdrawn: Withdrawn): Told => ({
  events: [aboutMember(memberUpdated, before, role)],
  audit: [entry('member.update', before, { role: { from: before.role, to: role } }, withdrawn)],
})

/** The address went to a caller that had proved it; the member has a placeholder from now on. */
export const addressReleased = (member: MemberFacts): Told => ({
  events: [aboutMember(memberUpdated, member, member.role)],
  audit: [entry('member.update', member, { email: { to: member.email } }, nothingWithdrawn)],
})

export const removed = (member: MemberFacts, withdrawn: Withdrawn): Told => ({
  events: [aboutMember(memberRemoved, member, member.role)],
  audit: [entry('member.delete', member, { role: { from: member.role } }, withdrawn)],
})

type MemberEvent = typeof memberAdded | typeof memberUpdated | typeof memberRemoved

const aboutMember = (event: MemberEvent, member: MemberFacts, role: string): EventDraft => {
  const { membershipId, version, userId, email, name } = member
  const data: DataOf<MemberEvent> = { member: { userId, email, name, role } }
  return emit(event as Event, { id: membershipId, version: version + 1 }, data)
}

const entry = (
  action: 'member.create' | 'member.update' | 'member.delete',
  { userId, email }: Pick<MemberFacts, 'userId' | 'email'>,
  changes: Record<string, FieldChange>,
  withdrawn: Withdrawn,
): AuditDraft => ({
  action,
  entityType: 'member',
  entityId: userId,
  entityName: email,
  changes: { ...changes, ...tellWithdrawn(withdrawn) },
})

/** Only what there is to tell. */
export const tellWithdrawn = (withdrawn: Withdrawn): Record<string, FieldChange> =>
  Object.fromEntries(
    Object.entries(withdrawn)
      .filter(([, ids]) => ids.length > 0)
      .map(([name, ids]) => [name, { to: ids }]),
  )
