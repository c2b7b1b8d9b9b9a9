/**
 * SQL of domains. A unique key of the table ensures that only one organization verifies a domain.
 */
import { newId, resourceTable, type Scope } from '@status-page/postgres'
import { and, eq } from 'drizzle-orm'
import { domains } from '../../tables.ts'

export type DomainRow = typeof domains.$inferSelect

export const { list: listDomains } = resourceTable(domains)

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
