/**
 * SQL of domains. A unique key of the table ensures that only one organization verifies a domain.
 */
import {
  type domainOperations,
  limitAndOffset,
  type Query,
  sortOrderOf,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { and, asc, desc, eq } from 'drizzle-orm'
import { domains } from '../../tables.ts'

export type DomainRow = typeof domains.$inferSelect

type ListQuery = Query<typeof domainOperations.list>

const sortColumns = { domain: domains.domain, createdAt: domains.createdAt } as const

export const listDomains = async (
  { tx, organizationId }: Scope,
  query: ListQuery,
): Promise<{ rows: DomainRow[]; total: number }> => {
  const { limit, offset } = limitAndOffset(query)
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const inOrganization = eq(domains.organizationId, organizationId)
  const rows = await tx
    .select()
    .from(domains)
    .where(inOrganization)
    .orderBy(direction(sortColumns[query.sortBy]), direction(domains.id))
    .limit(limit)
    .offset(offset)
  return { rows, total: await tx.$count(domains, inOrganization) }
}

const byName = (organizationId: string, domain: string) =>
  and(eq(domains.organizationId, organizationId), eq(domains.domain, domain))

export const domainByName = async (
  { tx, organizationId }: Scope,
  domain: string,
): Promise<DomainRow | null> => {
  const [row] = await tx.select().from(domains).where(byName(organizationId, domain))
  return row ?? null
}

/** Returns null when the organization has already claimed the domain. */
export const insertDomain = async (
  { tx, now, organizationId }: Scope,
  { domain, txtValue }: { domain: string; txtValue: string },
): Promise<DomainRow | null> => {
  const row = { organizationId, id: newId(), domain, txtValue, createdAt: now, updatedAt: now }
  const [stored] = await tx
    .insert(domains)
    .values(row)
    .onConflictDoNothing({ target: [domains.organizationId, domains.domain] })
    .returning()
  return stored ?? null
}

export const setVerified = async (
  { tx, now, organizationId }: Scope,
  domain: string,
): Promise<DomainRow | null> => {
  const [row] = await tx
    .update(domains)
    .set({ verifiedAt: now, updatedAt: now })
    .where(byName(organizationId, domain))
    .returning()
  return row ?? null
}

export const deleteDomain = async (
  { tx, organizationId }: Scope,
  domain: string,
): Promise<DomainRow | null> => {
  const [row] = await tx.delete(domains).where(byName(organizationId, domain)).returning()
  return row ?? null
}
