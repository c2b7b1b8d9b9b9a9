/** Status pages in SQL; slugs are unique on the instance, whoever owns them. */
import {
  conflict,
  type Query,
  sortOrderOf,
  type statusPageOperations,
  windowOf,
} from '@status-page/contracts'
import { crossLookup, type Database, duplicateOf, type Scope } from '@status-page/postgres'
import { and, asc, count, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { type StatusPageRow, statusPages } from '../tables.ts'

const own = ({ organizationId }: Scope) => eq(statusPages.organizationId, organizationId)

type ListQuery = Query<typeof statusPageOperations.list>

export const listPages = async (scope: Scope, query: ListQuery) => {
  const { isPublished, search } = query
  const where = and(
    own(scope),
    isPublished === undefined ? undefined : eq(statusPages.isPublished, isPublished),
    search === undefined
      ? undefined
      : sql`strpos(lower(${statusPages.name}), lower(${search})) > 0`,
  )
  const { limit, offset } = windowOf(query)
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const rows = await scope.tx
    .select()
    .from(statusPages)
    .where(where)
    .orderBy(direction(sortKeys[query.sortBy]), direction(statusPages.id))
    .limit(limit)
    .offset(offset)
  const [counted] = await scope.tx.select({ total: count() }).from(statusPages).where(where)
  return { rows, total: counted?.total ?? 0 }
}

const sortKeys: Record<ListQuery['sortBy'], SQL> = {
  name: sql`${statusPages.name}`,
  createdAt: sql`${statusPages.createdAt}`,
  updatedAt: sql`${statusPages.updatedAt}`,
}

export const findPages = (scope: Scope, ids: readonly string[]): Promise<StatusPageRow[]> =>
  scope.tx
    .select()
    .from(statusPages)
    .where(and(own(scope), inArray(statusPages.id, [...ids])))

export const lockPage = async (scope: Scope, id: string): Promise<StatusPageRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(statusPages)
    .where(and(own(scope), eq(statusPages.id, id)))
    .for('update')
  return row
}

/** Oldest first. */
export const publishedPages = (scope: Scope): Promise<StatusPageRow[]> =>
  scope.tx
    .select()
    .from(statusPages)
    .where(and(own(scope), eq(statusPages.isPublished, true)))
    .orderBy(statusPages.createdAt, statusPages.id)

export const insertPage = ({ tx }: Scope, row: StatusPageRow): Promise<void> =>
  refusingTakenSlugs(async () => {
    await tx.insert(statusPages).values(row)
  })

export const savePage = (scope: Scope, row: StatusPageRow): Promise<void> =>
  refusingTakenSlugs(async () => {
    await scope.tx
      .update(statusPages)
      .set(row)
      .where(and(own(scope), eq(statusPages.id, row.id)))
  })

export const removePage = async (scope: Scope, id: string): Promise<void> => {
  await scope.tx.delete(statusPages).where(and(own(scope), eq(statusPages.id, id)))
}

/** The organization and id of a published page, of any organization. */
export const findBySlug = (
  database: Database,
  slug: string,
): Promise<{ id: string; organizationId: string } | undefined> =>
  crossLookup(database, async ({ tx }) => {
    const [found] = await tx
      .select({ id: statusPages.id, organizationId: statusPages.organizationId })
      .from(statusPages)
      .where(and(eq(statusPages.slug, slug), eq(statusPages.isPublished, true)))
    return found
  })

/** The refusal says nothing about the owner. */
const refusingTakenSlugs = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    if (duplicateOf(error) !== 'status_pages_slug') throw error
    throw conflict('duplicate', 'The slug is taken')
  }
}
