/** SQL of all integrations of an organization. */
import { resourceTable, type Scope } from '@status-page/postgres'
import { inArray } from 'drizzle-orm'
import { type IntegrationRow, integrations } from '../../tables.ts'

const table = resourceTable(integrations)

export const allIntegrations = (scope: Scope): Promise<IntegrationRow[]> =>
  table.select(scope).orderBy(integrations.name, integrations.id)

export const lockIntegrations = async (
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, IntegrationRow>> => {
  if (ids.length === 0) return new Map()
  const rows = await table
    .select(scope, inArray(integrations.id, [...ids]))
    .orderBy(integrations.id)
    .for('update')
  return new Map(rows.map((row) => [row.id, row]))
}
