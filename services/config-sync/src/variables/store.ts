/** SQL of variables; values are encrypted. */
import type { Query, variableOperations } from '@status-page/contracts'
import { containsFilter, resourceTable, type Scope } from '@status-page/postgres'
import { eq, inArray, sql } from 'drizzle-orm'
import { type VariableRow, variables } from '../tables.ts'

const table = resourceTable(variables)

export const { remove: removeVariable } = table

/** Serializes writers of variables of an organization, so that their number stays bounded. */
export const lockVariables = async ({ tx, organizationId }: Scope): Promise<void> => {
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`config-sync:variables:${organizationId}`}, 0))`,
  )
}

export const findVariable = async (scope: Scope, name: string): Promise<VariableRow | undefined> =>
  (await table.select(scope, eq(variables.name, name)))[0]

export const findVariables = async (
  scope: Scope,
  names: readonly string[],
): Promise<VariableRow[]> => {
  if (names.length === 0) return []
  return table.select(scope, inArray(variables.name, [...names]))
}

export const countVariables = (scope: Scope): Promise<number> =>
  scope.tx.$count(variables, table.own(scope))

export const listVariables = (scope: Scope, query: Query<typeof variableOperations.list>) => {
  const { search } = query
  return table.list(scope, query, [containsFilter(variables.name, search)])
}

export const saveVariable = async ({ tx }: Scope, row: VariableRow): Promise<void> => {
  const { sealedValue, updatedAt } = row
  await tx
    .insert(variables)
    .values(row)
    .onConflictDoUpdate({ target: variables.id, set: { sealedValue, updatedAt } })
}
