/** SQL of API keys. Rows contain hashes and suffixes, never a key. */
import { type ListInput, limitAndOffset, sortOrderOf } from '@status-page/contracts'
import { resourceTable, type Scope, type SystemScope } from '@status-page/postgres'
import { asc, desc, eq, inArray, isNull, sql } from 'drizzle-orm'
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

const table = resourceTable(apiKeys)

export const { find: keyById, remove: deleteKey } = table

const sortColumns = {
  createdAt: apiKeys.createdAt,
  name: apiKeys.name,
  lastUsedAt: apiKeys.lastUsedAt,
  expiresAt: apiKeys.expiresAt,
} as const

export const listKeys = async (
  scope: Scope,
  input: ListInput,
): Promise<{ rows: ApiKeyRow[]; total: number }> => {
  const { limit, offset } = limitAndOffset(input)
  const direction = sortOrderOf(input) === 'asc' ? asc : desc
  const column = sortColumns[input.sortBy as keyof typeof sortColumns]
  const rows = await table
    .select(scope)
    .orderBy(sql`${direction(column)} NULLS LAST`, direction(apiKeys.id))
    .limit(limit)
    .offset(offset)
  return { rows, total: await scope.tx.$count(apiKeys, table.own(scope)) }
}

export const insertKey = async (
  { tx, now, organizationId }: Scope,
  key: Pick<
    ApiKeyRow,
    'id' | 'name' | 'tokenHash' | 'suffix' | 'permissions' | 'expiresAt' | 'createdBy'
  >,
): Promise<ApiKeyRow> => {
  const row = { ...key, organizationId, createdAt: now, updatedAt: now }
  const [stored] = await tx.insert(apiKeys).values(row).returning()
  return stored as ApiKeyRow
}

/** Keys that are not disabled and were created by one of the users. */
export const enabledKeysOf = (scope: Scope, userIds: readonly string[]): Promise<ApiKeyRow[]> =>
  table.select(scope, inArray(apiKeys.createdBy, [...userIds]), isNull(apiKeys.disabledAt))

export const disableKeys = (scope: Scope, ids: readonly string[]): Promise<void> => {
  const change = { disabledAt: scope.now, updatedAt: scope.now }
  return table.update(scope, change, inArray(apiKeys.id, [...ids]))
}

export const transferKeys = (
  scope: Scope,
  ids: readonly string[],
  userId: string,
): Promise<void> => {
  const change = { createdBy: userId, updatedAt: scope.now }
  return table.update(scope, change, inArray(apiKeys.id, [...ids]))
}
