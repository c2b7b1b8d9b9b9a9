/**
 * Limits of the updates and postmortems in one response. Their bytes are summed in SQL before any
 * row is loaded: 100 incidents can have more than 1 GB of updates.
 */
import { invalid } from '@status-page/contracts'
import { isAnyOf, type Scope } from '@status-page/postgres'
import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { incidentUpdates, maintenanceUpdates, postmortems } from './tables.ts'

const MIB = 1024 * 1024

/** Limit of an API list with `include`; a larger response is refused. */
export const MAX_INCLUDED_BYTES = 16 * MIB
/** Limit of each list on a page, in a feed or in a public response; older updates are omitted. */
export const MAX_SHOWN_BYTES = 4 * MIB

/** Bytes added for each row, so that the limit also applies to the number of rows. */
const ROW_BYTES = 1024

/** Texts that belong to incidents or maintenances. */
export interface BoundedTexts {
  table: PgTable & { id: PgColumn; organizationId: PgColumn }
  parentId: PgColumn
  /** Order of the rows; the value increases with each row of one parent. */
  order: SQL
  bytes: SQL
}

export const incidentUpdateTexts: BoundedTexts = {
  table: incidentUpdates,
  parentId: incidentUpdates.incidentId,
  order: sql`${incidentUpdates.incidentVersion}`,
  bytes: sql`octet_length(${incidentUpdates.message})
    + octet_length(${incidentUpdates.componentStatuses}::text) + ${sql.raw(String(ROW_BYTES))}`,
}

export const maintenanceUpdateTexts: BoundedTexts = {
  table: maintenanceUpdates,
  parentId: maintenanceUpdates.maintenanceId,
  order: sql`${maintenanceUpdates.maintenanceVersion}`,
  bytes: sql`octet_length(${maintenanceUpdates.message}) + ${sql.raw(String(ROW_BYTES))}`,
}

export const postmortemTexts: BoundedTexts = {
  table: postmortems,
  parentId: postmortems.incidentId,
  order: sql`1`,
  bytes: sql`octet_length(postmortems::text) + ${sql.raw(String(ROW_BYTES))}`,
}

/**
 * Throws 400 when the texts of a list page exceed the limit. Those of a single parent are never
 * refused, because their number is limited.
 */
export const validateIncluded = async (
  scope: Scope,
  texts: readonly BoundedTexts[],
  parentIds: readonly string[],
): Promise<void> => {
  if (parentIds.length <= 1) return
  let bytes = 0
  for (const boundedTexts of texts) bytes += await bytesOf(scope, boundedTexts, parentIds)
  if (bytes <= MAX_INCLUDED_BYTES) return
  const needed = Math.ceil(bytes / MIB)
  const message =
    `pageSize must be smaller: with include, this page takes ${needed} MiB; ` +
    `a response has at most ${MAX_INCLUDED_BYTES / MIB} MiB`
  throw invalid({ field: 'pageSize', message })
}

const bytesOf = async (
  scope: Scope,
  texts: BoundedTexts,
  parentIds: readonly string[],
): Promise<number> => {
  const [summed] = await scope.tx
    .select({ bytes: sql<number>`coalesce(sum(${texts.bytes}), 0)::float8` })
    .from(texts.table)
    .where(belongsTo(scope, texts, parentIds))
  return summed?.bytes ?? 0
}

/**
 * Condition for the newest rows within a byte limit: the newest of each parent, then the second
 * newest of each, and so on. Undefined without a limit.
 */
export const newestWithinBytes = (
  scope: Scope,
  texts: BoundedTexts,
  parentIds: readonly string[],
  maxBytes: number | undefined,
): SQL | undefined => {
  if (maxBytes === undefined) return undefined
  const { table, parentId, order, bytes } = texts
  return sql`${table.id} IN (
    SELECT id FROM (
      SELECT id, sum(bytes) OVER (ORDER BY row_index, parent DESC ROWS UNBOUNDED PRECEDING) AS total
      FROM (
        SELECT ${table.id} AS id, ${parentId} AS parent, ${bytes} AS bytes,
          row_number() OVER (PARTITION BY ${parentId} ORDER BY ${order} DESC) AS row_index
        FROM ${table} WHERE ${belongsTo(scope, texts, parentIds)}
      ) AS placed
    ) AS summed WHERE total <= ${maxBytes})`
}

const belongsTo = (
  { organizationId }: Scope,
  { table, parentId }: BoundedTexts,
  parentIds: readonly string[],
): SQL => sql`${table.organizationId} = ${organizationId} AND ${isAnyOf(parentId, parentIds)}`
