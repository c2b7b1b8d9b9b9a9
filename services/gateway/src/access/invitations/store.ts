/** SQL of invitations. Rows contain the hash of a token, never the token. */
import { type ListInput, limitAndOffset, sortOrderOf } from '@status-page/contracts'
import { newId, type Scope, type SystemScope } from '@status-page/postgres'
import { and, asc, desc, eq, gt, inArray, isNull, lte } from 'drizzle-orm'
import { invitations } from '../../tables.ts'

export type InvitationRow = typeof invitations.$inferSelect

const inOrganization = ({ organizationId }: Scope) => eq(invitations.organizationId, organizationId)

export const listInvitations = async (
  scope: Scope,
  input: ListInput,
): Promise<{ rows: InvitationRow[]; total: number }> => {
  const { limit, offset } = limitAndOffset(input)
  const direction = sortOrderOf(input) === 'asc' ? asc : desc
  const rows = await scope.tx
    .select()
    .from(invitations)
    .where(inOrganization(scope))
    .orderBy(direction(invitations.createdAt), direction(invitations.id))
    .limit(limit)
    .offset(offset)
  return { rows, total: await scope.tx.$count(invitations, inOrganization(scope)) }
}

export const invitationById = async (scope: Scope, id: string): Promise<InvitationRow | null> => {
  const [row] = await scope.tx
    .select()
    .from(invitations)
    .where(and(inOrganization(scope), eq(invitations.id, id)))
  return row ?? null
}

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
  await tx
    .delete(invitations)
    .where(and(inOrganization(scope), expired, isNull(invitations.acceptedAt)))
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
  scope.tx.$count(
    invitations,
    and(
      inOrganization(scope),
      isNull(invitations.acceptedAt),
      gt(invitations.expiresAt, scope.now),
    ),
  )

/** Open invitations sent by one of the users. */
export const openInvitationsBy = (
  scope: Scope,
  userIds: readonly string[],
): Promise<InvitationRow[]> =>
  scope.tx
    .select()
    .from(invitations)
    .where(
      and(
        inOrganization(scope),
        inArray(invitations.invitedBy, [...userIds]),
        isNull(invitations.acceptedAt),
        gt(invitations.expiresAt, scope.now),
      ),
    )

export const deleteInvitations = async (scope: Scope, ids: readonly string[]): Promise<void> => {
  await scope.tx
    .delete(invitations)
    .where(and(inOrganization(scope), inArray(invitations.id, [...ids])))
}

/** Returns the usable invitation of a token in any organization; null without one. */
export const invitationByToken = async (
  { tx, now }: SystemScope,
  tokenHash: string,
): Promise<Pick<InvitationRow, 'organizationId' | 'email' | 'role'> | null> => {
  const { organizationId, email, role } = invitations
  const [row] = await tx
    .select({ organizationId, email, role })
    .from(invitations)
    .where(
      and(
        eq(invitations.tokenHash, tokenHash),
        isNull(invitations.acceptedAt),
        gt(invitations.expiresAt, now),
      ),
    )
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
  const [row] = await scope.tx
    .select()
    .from(invitations)
    .where(
      and(
        inOrganization(scope),
        eq(invitations.tokenHash, tokenHash),
        isNull(invitations.acceptedAt),
        gt(invitations.expiresAt, scope.now),
      ),
    )
    .for('update')
  return row ?? null
}

export const markInvitationAccepted = async (scope: Scope, id: string): Promise<void> => {
  await scope.tx
    .update(invitations)
    .set({ acceptedAt: scope.now, updatedAt: scope.now })
    .where(and(inOrganization(scope), eq(invitations.id, id)))
}
