/** Erasure of the results of deleted items, whose rows remain as tombstones until then. */
import { asWorkerRaw, type Database, type RawSystemScope } from '@status-page/postgres'

const BATCH_ROWS = 5_000
/** Delay before results of a deleted item are erased; results in flight are stored by then. */
const ERASE_AFTER = '5 minutes'
/** Retention of tombstones; longer than an event about an item can be in flight. */
const TOMBSTONE_DAYS = 90

export interface Tombstone {
  organizationId: string
  id: string
}

export interface ErasedItems {
  /** Table of the items, with `organization_id`, `deleted_at` and `erased_at`. */
  table: string
  /** Column with the id of the item. */
  key: string
  /** Deletes up to `limit` results of the item; returns their number. */
  eraseResults(sql: RawSystemScope['sql'], item: Tombstone, limit: number): Promise<number>
  /** Deletes what else refers to the item, after its last result. */
  eraseSummaries(sql: RawSystemScope['sql'], item: Tombstone): Promise<void>
}

/** Erases one batch of the results of the item deleted first; returns the number of rows. */
export const eraseDeleted = (
  database: Database,
  { table, key, eraseResults, eraseSummaries }: ErasedItems,
): Promise<number> =>
  asWorkerRaw(database, async ({ sql }) => {
    const [item] = await sql<Tombstone[]>`
      SELECT organization_id AS "organizationId", ${sql(key)} AS id FROM ${sql(table)}
      WHERE deleted_at < now() - ${ERASE_AFTER}::interval AND erased_at IS NULL
      ORDER BY deleted_at LIMIT 1`
    if (item === undefined) {
      const { count } = await sql`DELETE FROM ${sql(table)}
        WHERE deleted_at < now() - ${TOMBSTONE_DAYS} * interval '1 day' AND erased_at IS NOT NULL`
      return count
    }
    const count = await eraseResults(sql, item, BATCH_ROWS)
    if (count === 0) {
      // Also deletes summaries that a result in flight inserted after the first deletion.
      await eraseSummaries(sql, item)
      await sql`UPDATE ${sql(table)} SET erased_at = now() WHERE ${sql(key)} = ${item.id}`
    }
    return count + 1
  })
