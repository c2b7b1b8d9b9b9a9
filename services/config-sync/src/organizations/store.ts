/** Copy of the organizations; the slug is part of the names of operator variables. */
import type { Scope } from '@status-page/postgres'
import { eq, sql } from 'drizzle-orm'
import { organizations } from '../tables.ts'

/** Ignores versions older than the stored one. */
export const saveOrganization = async (
  { tx, organizationId }: Scope,
  { slug, version }: { slug: string; version: number },
): Promise<void> => {
  await tx
    .insert(organizations)
    .values({ organizationId, slug, version })
    .onConflictDoUpdate({
      target: organizations.organizationId,
      set: { slug, version },
      setWhere: sql`${organizations.version} < excluded.version`,
    })
}

/** Returns null until the organization is known. */
export const findSlug = async ({ tx, organizationId }: Scope): Promise<string | null> => {
  const [row] = await tx
    .select({ slug: organizations.slug })
    .from(organizations)
    .where(eq(organizations.organizationId, organizationId))
  return row?.slug ?? null
}
