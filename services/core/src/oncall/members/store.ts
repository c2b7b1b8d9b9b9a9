/** Core's copy of members, used to validate schedules and to address notifications. */
import type { Scope } from '@status-page/postgres'
import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import { type MemberProjectionRow, members } from '../../tables.ts'

export type OncallMember = Pick<MemberProjectionRow, 'userId' | 'name' | 'email'>

/** Ignores versions older than the stored one. */
export const saveMember = async (
  { tx, organizationId }: Scope,
  row: Omit<MemberProjectionRow, 'organizationId'>,
): Promise<void> => {
  const { name, email, isRemoved, version } = row
  await tx
    .insert(members)
    .values({ ...row, organizationId })
    .onConflictDoUpdate({
      target: [members.organizationId, members.id],
      set: { name, email, isRemoved, version },
      setWhere: sql`${members.version} < excluded.version`,
    })
}

/** Current members in the order of their ids. */
export const listMembersAfterId = (
  { tx, organizationId }: Scope,
  after: string | null,
  limit: number,
): Promise<MemberProjectionRow[]> =>
  tx
    .select()
    .from(members)
    .where(
      and(
        eq(members.organizationId, organizationId),
        eq(members.isRemoved, false),
        after === null ? undefined : gt(members.id, after),
      ),
    )
    .orderBy(members.id)
    .limit(limit)

/** Current members by user id; other ids are absent. */
export const findMembers = async (
  { tx, organizationId }: Scope,
  userIds: Iterable<string>,
): Promise<Map<string, OncallMember>> => {
  const uniqueIds = [...new Set(userIds)]
  if (uniqueIds.length === 0) return new Map()
  const rows = await tx
    .select({ userId: members.userId, name: members.name, email: members.email })
    .from(members)
    .where(
      and(
        eq(members.organizationId, organizationId),
        inArray(members.userId, uniqueIds),
        eq(members.isRemoved, false),
      ),
    )
  return new Map(rows.map((row) => [row.userId, row]))
}
