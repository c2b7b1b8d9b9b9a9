/**
 * Statements that the stores of most resources share. Each is restricted to the organization of its
 * scope.
 */
import { type ListInput, limitAndOffset, sortOrderOf } from '@status-page/contracts'
import { and, asc, desc, eq, gt, inArray, type QueryPromise, type SQL } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { PipelinedScope, Scope } from './scope.ts'

type TenantTable = PgTable & { organizationId: PgColumn }
type ResourceTable = TenantTable & { id: PgColumn }

type Condition = SQL | undefined

/** Select statement whose order, limit and lock can still be set. */
interface Selection<Row> extends QueryPromise<Row[]> {
  orderBy(...keys: (PgColumn | SQL)[]): Selection<Row>
  limit(rows: number): Selection<Row>
  offset(rows: number): Selection<Row>
  for(strength: 'update' | 'share'): Selection<Row>
}

interface ListPage<Row> {
  rows: Row[]
  total: number
}

/** Statements on any rows of a table. */
export const tenantTable = <Table extends TenantTable>(table: Table) => {
  type Row = Table['$inferSelect']
  type Change = { [Column in keyof Row]?: Row[Column] | SQL }

  /** Condition that selects rows of the organization. */
  const own = ({ organizationId }: PipelinedScope, ...conditions: Condition[]) =>
    and(eq(table.organizationId, organizationId), ...conditions)

  const select = (scope: PipelinedScope, ...conditions: Condition[]) =>
    scope.tx
      .select()
      .from(table as PgTable)
      .where(own(scope, ...conditions)) as unknown as Selection<Row>

  const update = async (
    scope: Scope,
    change: Change,
    ...conditions: Condition[]
  ): Promise<void> => {
    const set = change as Record<string, unknown>
    await scope.tx
      .update(table as PgTable)
      .set(set)
      .where(own(scope, ...conditions))
  }

  /** Deletes and returns the rows. */
  const removeAll = async (scope: Scope, ...conditions: Condition[]): Promise<Row[]> =>
    (await scope.tx
      .delete(table)
      .where(own(scope, ...conditions))
      .returning()) as Row[]

  return { own, select, update, removeAll }
}

/** Statements on many rows of a table with ids. */
const manyRows = <Table extends ResourceTable>(table: Table) => {
  type Row = Table['$inferSelect']
  const { own, select } = tenantTable(table)
  return {
    /** Locks the rows in the order of their ids, so that concurrent callers do not deadlock. */
    lockAll: async (scope: Scope, ids: readonly string[]): Promise<Row[]> =>
      ids.length === 0
        ? []
        : select(scope, inArray(table.id, [...ids]))
            .orderBy(table.id)
            .for('update'),

    /** Page of all rows, in the order of their ids. */
    listAfterId: async (scope: Scope, after: string | null, limit: number): Promise<Row[]> =>
      select(scope, after === null ? undefined : gt(table.id, after))
        .orderBy(table.id)
        .limit(limit),

    /** Returns those of the values that rows have in the column. */
    findValues: async (
      scope: Scope,
      column: PgColumn,
      values: readonly string[],
    ): Promise<string[]> => {
      if (values.length === 0) return []
      const rows = await scope.tx
        .select({ value: column })
        .from(table as PgTable)
        .where(own(scope, inArray(column, [...values])))
      return rows.map(({ value }) => value as string)
    },
  }
}

/** Statements on the rows of a table with ids. */
export const resourceTable = <Table extends ResourceTable>(table: Table) => {
  type Row = Table['$inferSelect']
  const rows = tenantTable(table)
  const { own, select, update, removeAll } = rows

  const listBy = async (
    scope: PipelinedScope,
    query: ListInput,
    by: PgColumn | SQL,
    filters: readonly Condition[] = [],
  ): Promise<ListPage<Row>> => {
    const { limit, offset } = limitAndOffset(query)
    const direction = sortOrderOf(query) === 'asc' ? asc : desc
    const page = select(scope, ...filters).orderBy(direction(by), direction(table.id))
    // Both are sent at once, which takes one round trip.
    const [rows, total] = await Promise.all([
      page.limit(limit).offset(offset),
      scope.tx.$count(table, own(scope, ...filters)),
    ])
    return { rows, total }
  }

  return {
    ...rows,
    ...manyRows(table),

    find: async (scope: PipelinedScope, id: string): Promise<Row | undefined> =>
      (await select(scope, eq(table.id, id)))[0],

    /** Locks the row until the end of the transaction. */
    lock: async (scope: Scope, id: string): Promise<Row | undefined> =>
      (await select(scope, eq(table.id, id)).for('update'))[0],

    listBy,

    /** Page of a list, sorted by the column that `sortBy` names. */
    list: (
      scope: PipelinedScope,
      query: ListInput & { sortBy: keyof Row },
      filters: readonly Condition[] = [],
    ): Promise<ListPage<Row>> =>
      listBy(scope, query, table[query.sortBy as keyof Table] as PgColumn, filters),

    insert: async ({ tx }: Scope, row: Table['$inferInsert']): Promise<void> => {
      await tx.insert(table).values(row)
    },

    save: (scope: Scope, row: Row): Promise<void> =>
      update(scope, row, eq(table.id, row.id as string)),

    /** Deletes and returns the row. */
    remove: async (scope: Scope, id: string): Promise<Row | undefined> =>
      (await removeAll(scope, eq(table.id, id)))[0],
  }
}
