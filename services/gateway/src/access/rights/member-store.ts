/** SQL of members: accounts joined with their membership of one organization. */
import {
  builtInRoles,
  limitAndOffset,
  type memberOperations,
  type Query,
  sortOrderOf,
} from '@status-page/contracts'
import { equalsFilter, positionIn, type Scope } from '@status-page/postgres'
import { and, asc, count, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { MemberFields } from '../../identity/users/membership-rules.ts'
import { memberships, roles, twoFactor, users } from '../../tables.ts'

const roleName = sql<string>`coalesce(${roles.name}, ${memberships.role})`
const isOfCustomRole = and(
  eq(roles.organizationId, memberships.organizationId),
  sql`${roles.id}::text = ${memberships.role}`,
)

const columns = {
  membershipId: memberships.id,
  userId: memberships.userId,
  email: users.email,
  name: users.name,
  role: memberships.role,
  roleName,
  version: memberships.version,
  twoFactorSince: twoFactor.enabledAt,
  lastLoginAt: users.lastLoginAt,
  createdAt: memberships.createdAt,
  updatedAt: memberships.updatedAt,
}

export interface MembershipRow extends MemberFields {
  roleName: string
  twoFactorSince: Date | null
  lastLoginAt: Date | null
  createdAt: Date
  updatedAt: Date
}

const selectMembers = ({ tx }: Scope) =>
  tx
    .select(columns)
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .leftJoin(twoFactor, eq(twoFactor.userId, memberships.userId))
    .leftJoin(roles, isOfCustomRole)

const inOrganization = ({ organizationId }: Scope) => eq(memberships.organizationId, organizationId)

type ListQuery = Query<typeof memberOperations.list>

const sortKeys: Record<ListQuery['sortBy'], readonly SQL[]> = {
  name: [sql`${users.name}`],
  email: [sql`${users.email}`],
  // Custom roles sort after built-in ones, because their position is null.
  role: [positionIn(builtInRoles, memberships.role), roleName],
  createdAt: [sql`${memberships.createdAt}`],
}

export const listMembers = async (
  scope: Scope,
  query: ListQuery,
): Promise<{ rows: MembershipRow[]; total: number }> => {
  const { limit, offset } = limitAndOffset(query)
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const where = and(inOrganization(scope), ...filters(query))
  const rows = await selectMembers(scope)
    .where(where)
    .orderBy(...sortKeys[query.sortBy].map((key) => direction(key)), direction(memberships.userId))
    .limit(limit)
    .offset(offset)
  const [counted] = await scope.tx
    .select({ total: count() })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(where)
  return { rows, total: counted?.total ?? 0 }
}

const filters = ({ search, role }: ListQuery): (SQL | undefined)[] => [
  equalsFilter(memberships.role, role),
  search === undefined
    ? undefined
    : sql`(strpos(lower(${users.name}), lower(${search})) > 0
        OR strpos(${users.email}, lower(${search})) > 0)`,
]

export const memberById = async (scope: Scope, userId: string): Promise<MembershipRow | null> => {
  const [row] = await selectMembers(scope).where(
    and(inOrganization(scope), eq(memberships.userId, userId)),
  )
  return row ?? null
}

export const isMember = async (scope: Scope, email: string): Promise<boolean> => {
  const rows = await selectMembers(scope).where(and(inOrganization(scope), eq(users.email, email)))
  return rows.length > 0
}

/** Ids of the users with a role, built-in or custom. */
export const userIdsWithRole = async (scope: Scope, role: string): Promise<string[]> => {
  const rows = await scope.tx
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(and(inOrganization(scope), eq(memberships.role, role)))
  return rows.map(({ userId }) => userId)
}

export const setRole = async (
  { tx, now, organizationId }: Scope,
  { membershipId, version }: MembershipRow,
  role: string,
): Promise<void> => {
  await tx
    .update(memberships)
    .set({ role, version: version + 1, updatedAt: now })
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.id, membershipId)))
}

/** Deletes the membership; the member's sessions in the organization are deleted by cascade. */
export const deleteMembership = async (
  { tx, organizationId }: Scope,
  { membershipId }: MembershipRow,
): Promise<void> => {
  await tx
    .delete(memberships)
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.id, membershipId)))
}
