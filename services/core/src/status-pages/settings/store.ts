/** Status pages in SQL; slugs are unique across all organizations. */
import type { Query, statusPageOperations } from '@status-page/contracts'
import {
  containsFilter,
  equalsFilter,
  type PipelinedScope,
  preparedQuery,
  resourceTable,
  type Scope,
  type SystemScope,
  violatedUniqueConstraint,
} from '@status-page/postgres'
import { and, eq, gt, inArray, ne, sql } from 'drizzle-orm'
import { type StatusPageRow, statusPages } from '../../tables.ts'
import { DOMAIN_TAKEN, SLUG_TAKEN, TakenError } from './duplicates.ts'

const table = resourceTable(statusPages)

export const {
  lock: lockPage,
  lockAll: lockPages,
  listAfterId: listPagesAfterId,
  remove: removePage,
} = table

export const findPageSlugs = (scope: Scope, slugs: readonly string[]): Promise<string[]> =>
  table.findValues(scope, statusPages.slug, slugs)

type ListQuery = Query<typeof statusPageOperations.list>

export const listPages = (scope: Scope, query: ListQuery) => {
  const { isPublished, search } = query
  const filters = [
    equalsFilter(statusPages.isPublished, isPublished),
    containsFilter(statusPages.name, search),
  ]
  return table.list(scope, query, filters)
}

export const findPages = (
  scope: PipelinedScope,
  ids: readonly string[],
): Promise<StatusPageRow[]> => table.select(scope, inArray(statusPages.id, [...ids]))

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

export const insertPage = (scope: Scope, row: StatusPageRow): Promise<void> =>
  withDuplicateErrors(() => table.insert(scope, row))

export const savePage = (scope: Scope, row: StatusPageRow): Promise<void> =>
  withDuplicateErrors(() => table.save(scope, row))

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

/** Slugs of the list that a page of any organization has. */
export const findTakenSlugs = async (
  { tx }: SystemScope,
  slugs: readonly string[],
): Promise<ReadonlySet<string>> => {
  const rows = await tx
    .select({ slug: statusPages.slug })
    .from(statusPages)
    .where(inArray(statusPages.slug, [...slugs]))
  return new Set(rows.map(({ slug }) => slug))
}

/** Slugs of the list that pages of other organizations have. */
export const findSlugsOfOthers = async (
  { tx }: SystemScope,
  organizationId: string,
  slugs: readonly string[],
): Promise<ReadonlySet<string>> => {
  const isOfOther = ne(statusPages.organizationId, organizationId)
  const rows = await tx
    .select({ slug: statusPages.slug })
    .from(statusPages)
    .where(and(isOfOther, inArray(statusPages.slug, [...slugs])))
  return new Set(rows.map(({ slug }) => slug))
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

export type DueDomain = { id: string; organizationId: string; customDomain: string }

/** Published pages of all organizations without access restrictions, in alphabetical order. */
export const listPublicPages = (
  { tx }: SystemScope,
  limit: number,
): Promise<{ name: string; slug: string }[]> =>
  tx
    .select({ name: statusPages.name, slug: statusPages.slug })
    .from(statusPages)
    .where(and(eq(statusPages.isPublished, true), eq(statusPages.visibility, 'public')))
    .orderBy(statusPages.name, statusPages.slug)
    .limit(limit)

/** Leases domains of all organizations that are due for a lookup, until `nextAt`. */
export const leaseDueDomains = (
  { tx, now }: SystemScope,
  { limit, nextAt }: { limit: number; nextAt: Date },
): Promise<DueDomain[]> =>
  tx.execute<DueDomain>(sql`
    UPDATE status_pages SET custom_domain_due_at = ${nextAt.toISOString()}::timestamptz
    WHERE id IN (SELECT id FROM status_pages
      WHERE custom_domain_due_at <= ${now.toISOString()}::timestamptz
      ORDER BY custom_domain_due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING id, organization_id AS "organizationId", custom_domain AS "customDomain"`)

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

const duplicateErrors: Readonly<Record<string, () => TakenError>> = {
  status_pages_slug: () => new TakenError('slug', SLUG_TAKEN),
  status_pages_custom_domain: () => new TakenError('customDomain', DOMAIN_TAKEN),
}

const withDuplicateErrors = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    throw duplicateErrors[violatedUniqueConstraint(error) ?? '']?.() ?? error
  }
}
