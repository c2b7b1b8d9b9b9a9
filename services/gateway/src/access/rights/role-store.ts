/** SQL of roles. Built-in roles are constants, custom roles are rows. */
import {
  builtInRoles,
  type ListInput,
  limitAndOffset,
  type Right,
  type RoleName,
  rightsOfRole,
  sortOrderOf,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { invitations, memberships, organizations, roles, samlProviders } from '../../tables.ts'
import type { RoleFields, RoleReference } from './rules.ts'

export type CustomRole = typeof roles.$inferSelect

export interface ListedRole {
  id: string
  name: string
  description: string | null
  permissions: Right[]
  isBuiltIn: boolean
  memberCount: number
  createdAt: Date | null
  updatedAt: Date | null
}

/**
 * Serializes changes of rights in an organization until the commit, so that each grant, count of
 * owners or creation of a key reads the result of the previous change.
 */
export const lockRights = async ({ tx, organizationId }: Scope): Promise<void> => {
  await tx
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.id, organizationId))
    .for('no key update')
}

export const isBuiltIn = (reference: string): reference is RoleName =>
  (builtInRoles as readonly string[]).includes(reference)

export const builtInRole = (name: RoleName): RoleReference => ({
  reference: name,
  name,
  rights: rightsOfRole(name),
})

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const customRole = async (
  { tx, organizationId }: Scope,
  id: string,
): Promise<CustomRole | null> => {
  if (!uuid.test(id)) return null
  const [row] = await tx
    .select()
    .from(roles)
    .where(and(eq(roles.organizationId, organizationId), eq(roles.id, id)))
  return row ?? null
}

/** Returns the role with the built-in name or custom id; null without one. */
export const roleByReference = async (
  scope: Scope,
  reference: string,
): Promise<RoleReference | null> => {
  if (isBuiltIn(reference)) return builtInRole(reference)
  const row = await customRole(scope, reference)
  return row && { reference: row.id, name: row.name, rights: row.permissions as Right[] }
}

const NAMES = sql.raw(`'{${builtInRoles.join(',')}}'::text[]`)

const sortKeys: Record<string, SQL> = {
  name: sql`r.name`,
  createdAt: sql`r.created_at`,
  updatedAt: sql`r.updated_at`,
}

export const countCustomRoles = ({ tx, organizationId }: Scope): Promise<number> =>
  tx.$count(roles, eq(roles.organizationId, organizationId))

/**
 * Lists built-in and custom roles in one order; built-in roles have no times and sort last by them.
 */
export const listRoles = async (
  scope: Scope,
  input: ListInput,
): Promise<{ rows: ListedRole[]; total: number }> => {
  const { limit, offset } = limitAndOffset(input)
  const direction = sql.raw(sortOrderOf(input) === 'asc' ? 'ASC' : 'DESC')
  const rows = await selectRoles(
    scope,
    sql`ORDER BY ${sortKeys[input.sortBy] ?? sql`r.name`} ${direction} NULLS LAST, r.id ${direction}
      LIMIT ${limit} OFFSET ${offset}`,
  )
  return { rows, total: builtInRoles.length + (await countCustomRoles(scope)) }
}

export const listedRole = async (scope: Scope, id: string): Promise<ListedRole | null> => {
  const [row] = await selectRoles(scope, sql`WHERE r.id = ${id}`)
  return row ?? null
}

interface SelectedRole extends Record<string, unknown> {
  id: string
  name: string
  description: string | null
  permissions: string[] | null
  members: number
  created_at: string | null
  updated_at: string | null
}

const selectRoles = async ({ tx, organizationId }: Scope, tail: SQL): Promise<ListedRole[]> => {
  const rows = await tx.execute<SelectedRole>(sql`
    SELECT r.*, (SELECT count(*)::int FROM ${memberships} m
      WHERE m.organization_id = ${organizationId} AND m.role = r.id) AS members
    FROM (
      SELECT name AS id, name, NULL AS description, NULL::text[] AS permissions,
        NULL::timestamptz AS created_at, NULL::timestamptz AS updated_at
      FROM unnest(${NAMES}) AS built_in (name)
      UNION ALL
      SELECT id::text, name, description, permissions, created_at, updated_at FROM ${roles}
      WHERE organization_id = ${organizationId}
    ) AS r ${tail}`)
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    description: row.description,
    permissions: [...(isBuiltIn(row.id) ? rightsOfRole(row.id) : (row.permissions as Right[]))],
    isBuiltIn: isBuiltIn(row.id),
    memberCount: row.members,
    createdAt: row.created_at === null ? null : new Date(row.created_at),
    updatedAt: row.updated_at === null ? null : new Date(row.updated_at),
  }))
}

export const insertRole = async (
  { tx, now, organizationId }: Scope,
  { name, description, permissions }: RoleFields,
): Promise<string> => {
  const id = newId()
  const times = { createdAt: now, updatedAt: now }
  await tx.insert(roles).values({ organizationId, id, name, description, permissions, ...times })
  return id
}

export const updateRole = async (
  { tx, now, organizationId }: Scope,
  id: string,
  { name, description, permissions }: RoleFields,
): Promise<void> => {
  await tx
    .update(roles)
    .set({ name, description, permissions, updatedAt: now })
    .where(and(eq(roles.organizationId, organizationId), eq(roles.id, id)))
}

export const deleteRole = async ({ tx, organizationId }: Scope, id: string): Promise<void> => {
  await tx.delete(roles).where(and(eq(roles.organizationId, organizationId), eq(roles.id, id)))
}

/** Returns whether a member or an open invitation has the role. */
export const isRoleInUse = async (
  { tx, now, organizationId }: Scope,
  id: string,
): Promise<boolean> => {
  const members = and(eq(memberships.organizationId, organizationId), eq(memberships.role, id))
  const isInvitedTo = and(
    eq(invitations.organizationId, organizationId),
    eq(invitations.role, id),
    isNull(invitations.acceptedAt),
    gt(invitations.expiresAt, now),
  )
  const isProviderDefault = and(
    eq(samlProviders.organizationId, organizationId),
    eq(samlProviders.defaultRole, id),
  )
  const counts = [
    await tx.$count(memberships, members),
    await tx.$count(invitations, isInvitedTo),
    await tx.$count(samlProviders, isProviderDefault),
  ]
  return counts.some((count) => count > 0)
}
