/**
 * Offset pagination of long lists: index entries are counted and skipped by id, rows are read
 * afterwards.
 */
import type { PipelinedScope } from '@status-page/postgres'
import { asc, count, desc, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'

interface PagedList {
  from: PgTable & { id: PgColumn }
  where: SQL | undefined
  /** Total order of the list, the same as in an index. */
  order: readonly SortKey[]
  /** True when no index supports the filter: one pass over all entries counts the matches. */
  isScanned: boolean
  /** Counts the matches in less time than a count by the filter. */
  count?: () => Promise<number>
}

export interface PagedRows<Row> extends PagedList {
  select(): SortedQuery<Row>
  findByIds(ids: readonly string[]): Promise<ReadonlyMap<string, Row>>
}

interface SortedQuery<Row> extends PromiseLike<Row[]> {
  orderBy(...keys: SQL[]): SortedQuery<Row>
  limit(rows: number): SortedQuery<Row>
  offset(rows: number): SortedQuery<Row>
}

export interface SortKey {
  by: SQL
  direction: 'asc' | 'desc'
}

export interface PageWindow {
  limit: number
  offset: number
}

/**
 * Maximum offset up to which one statement reads the rows: a separate statement for their ids costs
 * more than reading the rows before them.
 */
const MAX_SINGLE_QUERY_OFFSET = 1_000

export const listRows = async <Row>(
  scope: PipelinedScope,
  listed: PagedRows<Row>,
  window: PageWindow,
): Promise<{ rows: Row[]; total: number }> => {
  const { isScanned, order, select, findByIds } = listed
  if (!isScanned && window.offset <= MAX_SINGLE_QUERY_OFFSET) {
    const page = select().orderBy(...orderBySortKeys(order))
    const [rows, total] = await Promise.all([
      page.limit(window.limit).offset(window.offset),
      countMatches(scope, listed),
    ])
    return { rows, total }
  }
  const { ids, total } = await (isScanned ? scan : walkFromNearerEnd)(scope, listed, window)
  const rows = await findByIds(ids)
  return { rows: ids.flatMap((id) => rows.get(id) ?? []), total }
}

const countMatches = (scope: PipelinedScope, listed: PagedList): Promise<number> =>
  listed.count?.() ?? countRows(scope, listed)

const walkFromNearerEnd = async (
  scope: PipelinedScope,
  listed: PagedList,
  window: PageWindow,
): Promise<{ ids: string[]; total: number }> => {
  const total = await countMatches(scope, listed)
  const { isReversed, ...nearer } = windowFromNearerEnd(window, total)
  if (nearer.limit === 0) return { ids: [], total }
  const order = isReversed ? listed.order.map(reversed) : listed.order
  const ids = await walk(scope, { ...listed, order }, nearer)
  return { ids: isReversed ? ids.reverse() : ids, total }
}

/** Returns the same rows, read from the end of the list when the end is nearer. */
export const windowFromNearerEnd = (
  { limit, offset }: PageWindow,
  total: number,
): PageWindow & { isReversed: boolean } => {
  const present = Math.max(0, Math.min(limit, total - offset))
  const behind = total - offset - present
  return present > 0 && behind < offset
    ? { limit: present, offset: behind, isReversed: true }
    : { limit: present, offset, isReversed: false }
}

const reversed = ({ by, direction }: SortKey): SortKey => ({
  by,
  direction: direction === 'asc' ? 'desc' : 'asc',
})

/** A page beyond the end returns only the total. */
const scan = async (scope: PipelinedScope, listed: PagedList, { limit, offset }: PageWindow) => {
  const { from, where, order } = listed
  const rows = await scope.tx
    .select({ id: from.id, total: sql<number>`(count(*) OVER ())::int` })
    .from(from)
    .where(where)
    .orderBy(...orderBySortKeys(order))
    .limit(limit)
    .offset(offset)
  const total = rows[0]?.total ?? (offset === 0 ? 0 : await countRows(scope, listed))
  return { ids: rows.map(({ id }) => id as string), total }
}

type Counted = Pick<PagedList, 'from' | 'where'>

export const countRows = async (
  { tx }: PipelinedScope,
  { from, where }: Counted,
): Promise<number> => {
  const [counted] = await tx.select({ total: count() }).from(from).where(where)
  return counted?.total ?? 0
}

const directions = { asc, desc }

const orderBySortKeys = (keys: readonly SortKey[]): SQL[] =>
  keys.map(({ by, direction }) => directions[direction](by))

const walk = async (
  { tx }: PipelinedScope,
  { from, where, order }: PagedList,
  { limit, offset }: PageWindow,
): Promise<string[]> => {
  const rows = await tx
    .select({ id: from.id })
    .from(from)
    .where(where)
    .orderBy(...orderBySortKeys(order))
    .limit(limit)
    .offset(offset)
  return rows.map(({ id }) => id as string)
}
