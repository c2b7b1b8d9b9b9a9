/** Core's copy of the members: whom a schedule may name, and how to reach them. */
import type { Scope } from '@status-page/postgres'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { type MemberProjectionRow, members } from '../../tables.ts'

export type OncallMember = Pick<MemberProjectionRow, 'userId' | 'name' | 'email'>

/** An older version of a membership never wins. */
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

/** Those who are members now; all others are missing. */
export const findMembers = async (
  { tx, organizationId }: Scope,
  userIds: Iterable<string>,
): Promise<Map<string, OncallMember>> => {
  const asked = [...new Set(userIds)]
  if (asked.length === 0) return new Map()
  const rows = await tx
    .select({ userId: members.userId, name: members.name, email: members.email })
    .from(members)
    .where(
      and(
        eq(members.organizationId, organizationId),
        inArray(members.userId, asked),
        eq(members.isRemoved, false),
      ),
    )
  return new Map(rows.map((row) => [row.userId, row]))
}
