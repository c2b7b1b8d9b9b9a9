/** Config-sync's copy of the organizations: which slug names their variables. */
import type { Scope } from '@status-page/postgres'
import { eq, sql } from 'drizzle-orm'
import { organizations } from '../tables.ts'

/** An older version never wins. */
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

/** Null while the organization is not known yet. */
export const findSlug = async ({ tx, organizationId }: Scope): Promise<string | null> => {
  const [row] = await tx
    .select({ slug: organizations.slug })
    .from(organizations)
    .where(eq(organizations.organizationId, organizationId))
  return row?.slug ?? null
}
