/** Status pages in SQL; slugs are unique across all organizations. */
import {
  conflict,
  limitAndOffset,
  type Query,
  sortOrderOf,
  type statusPageOperations,
} from '@status-page/contracts'
import {
  preparedQuery,
  type Scope,
  type SystemScope,
  violatedUniqueConstraint,
} from '@status-page/postgres'
import { and, asc, count, desc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import { type StatusPageRow, statusPages } from '../../tables.ts'

const inOrganization = ({ organizationId }: Scope) => eq(statusPages.organizationId, organizationId)

type ListQuery = Query<typeof statusPageOperations.list>

export const listPages = async (scope: Scope, query: ListQuery) => {
  const { isPublished, search } = query
  const where = and(
    inOrganization(scope),
    isPublished === undefined ? undefined : eq(statusPages.isPublished, isPublished),
    search === undefined
      ? undefined
      : sql`strpos(lower(${statusPages.name}), lower(${search})) > 0`,
  )
  const { limit, offset } = limitAndOffset(query)
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
    .where(and(inOrganization(scope), inArray(statusPages.id, [...ids])))

export const lockPage = async (scope: Scope, id: string): Promise<StatusPageRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(statusPages)
    .where(and(inOrganization(scope), eq(statusPages.id, id)))
    .for('update')
  return row
}

/** Published pages of the organization, oldest first. */
export const listPublishedPages = (scope: Scope): Promise<StatusPageRow[]> =>
  selectPublished(scope, { organizationId: scope.organizationId })

const selectPublished = preparedQuery((tx) =>
  tx
    .select()
    .from(statusPages)
    .where(
      and(
        eq(statusPages.organizationId, sql.placeholder('organizationId')),
        eq(statusPages.isPublished, true),
      ),
    )
    .orderBy(statusPages.createdAt, statusPages.id),
)

export const insertPage = ({ tx }: Scope, row: StatusPageRow): Promise<void> =>
  withDuplicateErrors(async () => {
    await tx.insert(statusPages).values(row)
  })

export const savePage = (scope: Scope, row: StatusPageRow): Promise<void> =>
  withDuplicateErrors(async () => {
    await scope.tx
      .update(statusPages)
      .set(row)
      .where(and(inOrganization(scope), eq(statusPages.id, row.id)))
  })

export const removePage = async (scope: Scope, id: string): Promise<void> => {
  await scope.tx.delete(statusPages).where(and(inOrganization(scope), eq(statusPages.id, id)))
}

/** Page of any organization, with the fields of the access check. */
export type PageForAccessCheck = Pick<
  StatusPageRow,
  'id' | 'organizationId' | 'visibility' | 'allowedIpRanges' | 'passwordHash'
>

export const findPublishedPage = async (
  { tx }: SystemScope,
  slug: string,
): Promise<PageForAccessCheck | undefined> => {
  const [found] = await tx
    .select({
      id: statusPages.id,
      organizationId: statusPages.organizationId,
      visibility: statusPages.visibility,
      allowedIpRanges: statusPages.allowedIpRanges,
      passwordHash: statusPages.passwordHash,
    })
    .from(statusPages)
    .where(and(eq(statusPages.slug, slug), eq(statusPages.isPublished, true)))
  return found
}

/** Active custom domains of all organizations, in alphabetical order. */
export const listActiveDomains = async (
  { tx }: SystemScope,
  { after, limit }: { after: string; limit: number },
): Promise<{ domain: string; slug: string }[]> => {
  const rows = await tx
    .select({ domain: statusPages.customDomain, slug: statusPages.slug })
    .from(statusPages)
    .where(
      and(
        eq(statusPages.customDomainStatus, 'active'),
        eq(statusPages.isPublished, true),
        gt(statusPages.customDomain, after),
      ),
    )
    .orderBy(statusPages.customDomain)
    .limit(limit)
  return rows.flatMap(({ domain, slug }) => (domain === null ? [] : [{ domain, slug }]))
}

export interface DueDomain {
  id: string
  organizationId: string
  customDomain: string
}

/** Leases domains of all organizations that are due for a lookup, until `nextAt`. */
export const leaseDueDomains = async (
  { tx, now }: SystemScope,
  { limit, nextAt }: { limit: number; nextAt: Date },
): Promise<DueDomain[]> => {
  const rows = await tx.execute<{ id: string; organization_id: string; custom_domain: string }>(sql`
    UPDATE status_pages SET custom_domain_due_at = ${nextAt.toISOString()}::timestamptz
    WHERE id IN (SELECT id FROM status_pages
      WHERE custom_domain_due_at <= ${now.toISOString()}::timestamptz
      ORDER BY custom_domain_due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING id, organization_id, custom_domain`)
  return rows.map(({ id, organization_id, custom_domain }) => ({
    id,
    organizationId: organization_id,
    customDomain: custom_domain,
  }))
}

/** True when another page of any organization has this domain active. */
export const isDomainActiveElsewhere = async (
  { tx }: SystemScope,
  domain: string,
  pageId: string | null,
): Promise<boolean> => {
  const [found] = await tx
    .select({ id: statusPages.id })
    .from(statusPages)
    .where(and(eq(statusPages.customDomain, domain), eq(statusPages.customDomainStatus, 'active')))
  return found !== undefined && found.id !== pageId
}

/** Messages of unique violations; they reveal nothing about the owner. */
const duplicateMessages: Readonly<Record<string, string>> = {
  status_pages_slug: 'The slug is already in use',
  status_pages_custom_domain: 'The custom domain is already in use',
}

const withDuplicateErrors = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    const message = duplicateMessages[violatedUniqueConstraint(error) ?? '']
    throw message === undefined ? error : conflict('duplicate', message)
  }
}
