/** Copy of the members: the recipients of mails about the organization itself. */
import type { Scope } from '@status-page/postgres'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { members, type RecipientMemberRow } from '../tables.ts'

/** Maximum number of recipients of one mail. */
const MAX_RECIPIENTS = 50

/** Ignores versions older than the stored one. */
export const saveMember = async (
  { tx, organizationId }: Scope,
  row: Omit<RecipientMemberRow, 'organizationId'>,
): Promise<void> => {
  const { name, email, role, isRemoved, version } = row
  await tx
    .insert(members)
    .values({ ...row, organizationId })
    .onConflictDoUpdate({
      target: [members.organizationId, members.id],
      set: { name, email, role, isRemoved, version },
      setWhere: sql`${members.version} < excluded.version`,
    })
}

/** Current members in one of the roles, those with the longest membership first. */
export const listMembersByRole = (
  { tx, organizationId }: Scope,
  roles: readonly string[],
): Promise<Pick<RecipientMemberRow, 'userId' | 'email'>[]> =>
  tx
    .select({ userId: members.userId, email: members.email })
    .from(members)
    .where(
      and(
        eq(members.organizationId, organizationId),
        inArray(members.role, [...roles]),
        eq(members.isRemoved, false),
      ),
    )
    .orderBy(asc(members.id))
    .limit(MAX_RECIPIENTS)
