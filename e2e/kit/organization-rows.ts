/** Rows of one organization in all tables of all services, as text, for a comparison. */
import { databaseSchemaOf, services } from '@status-page/contracts'
import type postgres from 'postgres'

/** Columns that change without a request: times of last use, leases, times of the next run. */
const VOLATILE =
  /^(current|.*_at|.*_until|stale_since|lease_.*|publish_count|bus_.*|(own_|event_)?version|attempts|deferrals)$/

/** Tables whose rows change without a request. */
const TRANSIENT = [
  'fanouts',
  'flaps',
  'subscriber_notifications',
  'late_rollups',
  'target_states',
  'metric_states',
]

export const rowsOfOrganization = async (
  admin: postgres.Sql,
  organizationId: string,
): Promise<string[]> => {
  const tables = await admin<{ schema: string; name: string }[]>`
    SELECT n.nspname AS schema, c.relname AS name FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a
      ON a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped
    WHERE n.nspname = ANY (${services.map(databaseSchemaOf)}) AND c.relkind IN ('r', 'p')
      AND NOT c.relispartition AND c.relname <> ALL (${TRANSIENT})`
  const texts = tables.map(async ({ schema, name }) => {
    const rows = await admin<{ row: Record<string, unknown> }[]>`
      SELECT to_jsonb(r) AS row FROM ${admin(`${schema}.${name}`)} r
      WHERE organization_id = ${organizationId}`
    return rows.map(({ row }) => `${schema}.${name} ${JSON.stringify(withoutVolatileColumns(row))}`)
  })
  return (await Promise.all(texts)).flat()
}

const withoutVolatileColumns = (row: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !VOLATILE.test(column)))
