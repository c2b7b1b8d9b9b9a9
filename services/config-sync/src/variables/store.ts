/** SQL of variables; values are encrypted. */
import {
  limitAndOffset,
  type Query,
  sortOrderOf,
  type variableOperations,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { and, asc, count, desc, eq, inArray, sql } from 'drizzle-orm'
import { type VariableRow, variables } from '../tables.ts'

const own = ({ organizationId }: Scope) => eq(variables.organizationId, organizationId)

/** Serializes writers of variables of an organization, so that their number stays bounded. */
export const lockVariables = async ({ tx, organizationId }: Scope): Promise<void> => {
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`config-sync:variables:${organizationId}`}, 0))`,
  )
}

export const findVariable = async (scope: Scope, name: string): Promise<VariableRow | null> => {
  const [row] = await scope.tx
    .select()
    .from(variables)
    .where(and(own(scope), eq(variables.name, name)))
  return row ?? null
}

export const findVariables = async (
  scope: Scope,
  names: readonly string[],
): Promise<VariableRow[]> => {
  if (names.length === 0) return []
  return scope.tx
    .select()
    .from(variables)
    .where(and(own(scope), inArray(variables.name, [...names])))
}

export const countVariables = async (scope: Scope): Promise<number> => {
  const [counted] = await scope.tx.select({ total: count() }).from(variables).where(own(scope))
  return counted?.total ?? 0
}

const sortKeys = {
  name: variables.name,
  createdAt: variables.createdAt,
  updatedAt: variables.updatedAt,
}

export const listVariables = async (scope: Scope, query: Query<typeof variableOperations.list>) => {
  const { search, sortBy } = query
  const found =
    search === undefined ? undefined : sql`strpos(lower(${variables.name}), lower(${search})) > 0`
  const where = and(own(scope), found)
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const { limit, offset } = limitAndOffset(query)
  const rows = await scope.tx
    .select()
    .from(variables)
    .where(where)
    .orderBy(direction(sortKeys[sortBy]), asc(variables.id))
    .limit(limit)
    .offset(offset)
  const [counted] = await scope.tx.select({ total: count() }).from(variables).where(where)
  return { rows, total: counted?.total ?? 0 }
}

export const saveVariable = async ({ tx }: Scope, row: VariableRow): Promise<void> => {
  const { sealedValue, updatedAt } = row
  await tx
    .insert(variables)
    .values(row)
    .onConflictDoUpdate({ target: variables.id, set: { sealedValue, updatedAt } })
}

export const removeVariable = async (scope: Scope, id: string): Promise<void> => {
  await scope.tx.delete(variables).where(and(own(scope), eq(variables.id, id)))
}
