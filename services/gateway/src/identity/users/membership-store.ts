/** SQL of organizations and their members. */
import type { Scope, SystemScope } from '@status-page/postgres'
import { sha256 } from '@status-page/secrets'
import { and, eq, isNull } from 'drizzle-orm'
import { memberships, organizations, retiredSlugs } from '../../tables.ts'

export interface Membership {
  organizationId: string
  organizationName: string
  slug: string
  role: string
  require2fa: boolean
  ssoEnforced: boolean
}

export const readOrganization = async ({ tx, organizationId }: Scope) => {
  const { id, name, slug } = organizations
  const [row] = await tx
    .select({ id, name, slug })
    .from(organizations)
    .where(eq(organizations.id, organizationId))
  return row ?? null
}

/**
 * Memberships of a user, oldest first, because a login selects the first. Organizations under
 * deletion are excluded.
 */
export const membershipsOf = ({ tx }: SystemScope, userId: string): Promise<Membership[]> =>
  tx
    .select({
      organizationId: memberships.organizationId,
      organizationName: organizations.name,
      slug: organizations.slug,
      role: memberships.role,
      require2fa: organizations.require2fa,
      ssoEnforced: organizations.ssoEnforced,
    })
    .from(memberships)
    .innerJoin(organizations, eq(organizations.id, memberships.organizationId))
    .where(and(eq(memberships.userId, userId), isNull(organizations.deletionStartedAt)))
    .orderBy(memberships.createdAt)

/** Returns false when the slug is taken or belonged to a deleted organization. */
export const insertOrganization = async (
  scope: Scope,
  organization: { id: string; name: string; slug: string },
): Promise<boolean> => {
  if (await isSlugRetired(scope, organization.slug)) return false
  const { tx, now } = scope
  const rows = await tx
    .insert(organizations)
    .values({ ...organization, createdAt: now, updatedAt: now })
    .onConflictDoNothing({ target: organizations.slug })
    .returning({ id: organizations.id })
  return rows.length === 1
}

export const isSlugRetired = async ({ tx }: Scope, slug: string): Promise<boolean> => {
  const rows = await tx
    .select()
    .from(retiredSlugs)
    .where(eq(retiredSlugs.slugDigest, sha256(slug)))
  return rows.length > 0
}

export const insertMembership = async (
  { tx, now, organizationId }: Scope,
  { id, userId, role }: { id: string; userId: string; role: string },
): Promise<void> => {
  await tx
    .insert(memberships)
    .values({ organizationId, id, userId, role, createdAt: now, updatedAt: now })
}
