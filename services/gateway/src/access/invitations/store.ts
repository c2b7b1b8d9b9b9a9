/** SQL of invitations. Rows contain the hash of a token, never the token. */
import { newId, resourceTable, type Scope, type SystemScope } from '@status-page/postgres'
import { and, eq, gt, inArray, isNull, lte } from 'drizzle-orm'
import { invitations, organizations } from '../../tables.ts'

export type InvitationRow = typeof invitations.$inferSelect

const table = resourceTable(invitations)

export const { find: invitationById, list: listInvitations } = table

const isOpen = ({ now }: Pick<Scope, 'now'>) =>
  and(isNull(invitations.acceptedAt), gt(invitations.expiresAt, now))

export interface NewInvitation {
  email: string
  role: string
  tokenHash: string
  invitedBy: string | null
  expiresAt: Date
}

/**
 * Replaces an expired invitation; violates the unique key `invitations_open_key` when an open one
 * exists.
 */
export const insertInvitation = async (
  scope: Scope,
  invitation: NewInvitation,
): Promise<InvitationRow> => {
  const { tx, now, organizationId } = scope
  const { email, role, tokenHash, invitedBy, expiresAt } = invitation
  const expired = and(eq(invitations.email, email), lte(invitations.expiresAt, now))
  await tx.delete(invitations).where(table.own(scope, expired, isNull(invitations.acceptedAt)))
  const [row] = await tx
    .insert(invitations)
    .values({
      organizationId,
      id: newId(),
      email,
      role,
      tokenHash,
      invitedBy,
      expiresAt,
      createdAt: now,
      updatedAt: now,
    })
    .returning()
  return row as InvitationRow
}

export const countOpenInvitations = (scope: Scope): Promise<number> =>
  scope.tx.$count(invitations, table.own(scope, isOpen(scope)))

/** Open invitations sent by one of the users. */
export const openInvitationsBy = (
  scope: Scope,
  userIds: readonly string[],
): Promise<InvitationRow[]> =>
  table.select(scope, inArray(invitations.invitedBy, [...userIds]), isOpen(scope))

export const deleteInvitations = async (scope: Scope, ids: readonly string[]): Promise<void> => {
  await scope.tx.delete(invitations).where(table.own(scope, inArray(invitations.id, [...ids])))
}

export type UsableInvitation = Pick<InvitationRow, 'organizationId' | 'email' | 'role'> & {
  organizationName: string
}

/** Returns the usable invitation of a token in any organization; null without one. */
export const invitationByToken = async (
  { tx, now }: SystemScope,
  tokenHash: string,
): Promise<UsableInvitation | null> => {
  const { organizationId, email, role } = invitations
  const [row] = await tx
    .select({ organizationId, email, role, organizationName: organizations.name })
    .from(invitations)
    .innerJoin(organizations, eq(organizations.id, organizationId))
    .where(and(eq(invitations.tokenHash, tokenHash), isOpen({ now })))
  return row ?? null
}

/**
 * Locks the usable invitation of a token, so that concurrent requests use it once; null without
 * one.
 */
export const lockUsableInvitation = async (
  scope: Scope,
  tokenHash: string,
): Promise<InvitationRow | null> => {
  const isWanted = eq(invitations.tokenHash, tokenHash)
  const [row] = await table.select(scope, isWanted, isOpen(scope)).for('update')
  return row ?? null
}

export const markInvitationAccepted = (scope: Scope, id: string): Promise<void> => {
  const change = { acceptedAt: scope.now, updatedAt: scope.now }
  return table.update(scope, change, eq(invitations.id, id))
}
