/** SQL of API keys. Rows contain hashes and suffixes, never a key. */
import {
  type ListInput,
  limitAndOffset,
  type Permission,
  sortOrderOf,
} from '@status-page/contracts'
import type { Scope, SystemScope } from '@status-page/postgres'
import { and, asc, desc, eq, inArray, isNull, sql } from 'drizzle-orm'
import { apiKeys } from '../../tables.ts'

export type ApiKeyRow = typeof apiKeys.$inferSelect

export interface ResolvedKey {
  organizationId: string
  id: string
  permissions: string[]
  expiresAt: Date | null
  lastUsedAt: Date | null
  disabledAt: Date | null
}

export const keyByHash = async (
  { tx }: SystemScope,
  tokenHash: string,
): Promise<ResolvedKey | null> => {
  const { organizationId, id, permissions, expiresAt, lastUsedAt, disabledAt } = apiKeys
  const [row] = await tx
    .select({ organizationId, id, permissions, expiresAt, lastUsedAt, disabledAt })
    .from(apiKeys)
    .where(eq(apiKeys.tokenHash, tokenHash))
  return row ?? null
}

const sortColumns = {
  createdAt: apiKeys.createdAt,
  name: apiKeys.name,
  lastUsedAt: apiKeys.lastUsedAt,
  expiresAt: apiKeys.expiresAt,
} as const

export const listKeys = async (
  { tx, organizationId }: Scope,
  input: ListInput,
): Promise<{ rows: ApiKeyRow[]; total: number }> => {
  const { limit, offset } = limitAndOffset(input)
  const direction = sortOrderOf(input) === 'asc' ? asc : desc
  const column = sortColumns[input.sortBy as keyof typeof sortColumns]
  const inOrganization = eq(apiKeys.organizationId, organizationId)
  const rows = await tx
    .select()
    .from(apiKeys)
    .where(inOrganization)
    .orderBy(sql`${direction(column)} NULLS LAST`, direction(apiKeys.id))
    .limit(limit)
    .offset(offset)
  return { rows, total: await tx.$count(apiKeys, inOrganization) }
}

export const keyById = async (
  { tx, organizationId }: Scope,
  id: string,
): Promise<ApiKeyRow | null> => {
  const [row] = await tx
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.organizationId, organizationId), eq(apiKeys.id, id)))
  return row ?? null
}

export const insertKey = async (
  { tx, now, organizationId }: Scope,
  key: {
    id: string
    name: string
    tokenHash: string
    suffix: string
    permissions: Permission[]
    expiresAt: Date | null
    createdBy: string | null
  },
): Promise<ApiKeyRow> => {
  const { id, name, tokenHash, suffix, permissions, expiresAt, createdBy } = key
  const row = {
    organizationId,
    id,
    name,
    tokenHash,
    suffix,
    permissions,
    expiresAt,
    createdBy,
    createdAt: now,
    updatedAt: now,
  }
  const [stored] = await tx.insert(apiKeys).values(row).returning()
  return stored as ApiKeyRow
}

export const deleteKey = async (
  { tx, organizationId }: Scope,
  id: string,
): Promise<ApiKeyRow | null> => {
  const [row] = await tx
    .delete(apiKeys)
    .where(and(eq(apiKeys.organizationId, organizationId), eq(apiKeys.id, id)))
    .returning()
  return row ?? null
}

/** Keys that are not disabled and were created by one of the users. */
export const enabledKeysOf = (
  { tx, organizationId }: Scope,
  userIds: readonly string[],
): Promise<ApiKeyRow[]> =>
  tx
    .select()
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.organizationId, organizationId),
        inArray(apiKeys.createdBy, [...userIds]),
        isNull(apiKeys.disabledAt),
      ),
    )

const keysWithIds = (organizationId: string, ids: readonly string[]) =>
  and(eq(apiKeys.organizationId, organizationId), inArray(apiKeys.id, [...ids]))

export const disableKeys = async (
  { tx, now, organizationId }: Scope,
  ids: readonly string[],
): Promise<void> => {
  const row = { disabledAt: now, updatedAt: now }
  await tx.update(apiKeys).set(row).where(keysWithIds(organizationId, ids))
}

export const transferKeys = async (
  { tx, now, organizationId }: Scope,
  ids: readonly string[],
  userId: string,
): Promise<void> => {
  const row = { createdBy: userId, updatedAt: now }
  await tx.update(apiKeys).set(row).where(keysWithIds(organizationId, ids))
}
