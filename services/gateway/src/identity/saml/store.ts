/** SQL of providers, open requests, used assertions and linked identities. */
import { newId, type Scope, type SystemScope } from '@status-page/postgres'
import { and, eq, gt, isNotNull } from 'drizzle-orm'
import {
  domains,
  memberships,
  organizations,
  samlAssertions,
  samlIdentities,
  samlProviders,
  samlRequests,
  users,
} from '../../tables.ts'

export type ProviderRow = typeof samlProviders.$inferSelect
export type ProviderFields = Omit<ProviderRow, 'organizationId' | 'createdAt' | 'updatedAt'>

export interface OrganizationName {
  id: string
  name: string
  slug: string
}

export const organizationBySlug = async (
  { tx }: SystemScope,
  slug: string,
): Promise<OrganizationName | null> => {
  const { id, name } = organizations
  const [row] = await tx
    .select({ id, name, slug: organizations.slug })
    .from(organizations)
    .where(eq(organizations.slug, slug))
  return row ?? null
}

/** Returns the slug of the organization that verified the domain and has an enabled provider. */
export const slugByDomain = async ({ tx }: SystemScope, domain: string): Promise<string | null> => {
  const [row] = await tx
    .select({ slug: organizations.slug })
    .from(domains)
    .innerJoin(organizations, eq(organizations.id, domains.organizationId))
    .innerJoin(samlProviders, eq(samlProviders.organizationId, domains.organizationId))
    .where(
      and(
        eq(domains.domain, domain),
        isNotNull(domains.verifiedAt),
        eq(samlProviders.isEnabled, true),
      ),
    )
  return row?.slug ?? null
}

/** Returns whether an organization has an enabled provider: any, or the one with the slug. */
export const hasEnabledProvider = async (
  { tx }: SystemScope,
  slug: string | null,
): Promise<boolean> => {
  const rows = await tx
    .select({ slug: organizations.slug })
    .from(samlProviders)
    .innerJoin(organizations, eq(organizations.id, samlProviders.organizationId))
    .where(
      and(
        eq(samlProviders.isEnabled, true),
        slug === null ? undefined : eq(organizations.slug, slug),
      ),
    )
    .limit(1)
  return rows.length > 0
}

export const isDomainVerified = async (
  { tx, organizationId }: Scope,
  domain: string,
): Promise<boolean> =>
  (await tx.$count(
    domains,
    and(
      eq(domains.organizationId, organizationId),
      eq(domains.domain, domain),
      isNotNull(domains.verifiedAt),
    ),
  )) > 0

export const providerOfOrganization = async ({
  tx,
  organizationId,
}: Scope): Promise<ProviderRow | null> => {
  const [row] = await tx
    .select()
    .from(samlProviders)
    .where(eq(samlProviders.organizationId, organizationId))
  return row ?? null
}

export const saveProvider = async (
  { tx, now, organizationId }: Scope,
  fields: ProviderFields,
): Promise<ProviderRow> => {
  const { isEnabled, idpEntityId, idpSsoUrl, certificates } = fields
  const { defaultRole, attributeMapping, setByOwner } = fields
  const row = {
    isEnabled,
    idpEntityId,
    idpSsoUrl,
    certificates,
    defaultRole,
    attributeMapping,
    setByOwner,
    updatedAt: now,
  }
  const [stored] = await tx
    .insert(samlProviders)
    .values({ ...row, organizationId, createdAt: now })
    .onConflictDoUpdate({ target: samlProviders.organizationId, set: row })
    .returning()
  return stored as ProviderRow
}

/**
 * Deletes the provider with its identities, so that another provider with the same entity id starts
 * without them.
 */
export const deleteProvider = async ({ tx, organizationId }: Scope): Promise<void> => {
  await tx.delete(samlIdentities).where(eq(samlIdentities.organizationId, organizationId))
  await tx.delete(samlProviders).where(eq(samlProviders.organizationId, organizationId))
}

interface Request {
  id: string
  browserHash: string
}

export const insertRequest = async (
  { tx, organizationId }: Scope,
  request: Request & { expiresAt: Date },
): Promise<void> => {
  const { id, browserHash, expiresAt } = request
  await tx.insert(samlRequests).values({ organizationId, id, browserHash, expiresAt })
}

export const hasOpenRequest = async (
  { tx, now, organizationId }: Scope,
  browserHash: string,
): Promise<boolean> =>
  (await tx.$count(
    samlRequests,
    and(
      eq(samlRequests.organizationId, organizationId),
      eq(samlRequests.browserHash, browserHash),
      gt(samlRequests.expiresAt, now),
    ),
  )) > 0

/** Consumes a request; of two concurrent calls exactly one returns true. */
export const consumeRequest = async (
  { tx, now, organizationId }: Scope,
  { id, browserHash }: Request,
): Promise<boolean> => {
  const used = await tx
    .delete(samlRequests)
    .where(
      and(
        eq(samlRequests.organizationId, organizationId),
        eq(samlRequests.id, id),
        eq(samlRequests.browserHash, browserHash),
        gt(samlRequests.expiresAt, now),
      ),
    )
    .returning({ id: samlRequests.id })
  return used.length === 1
}

/** Records an assertion; returns false when it was used before. */
export const recordAssertion = async (
  { tx, organizationId }: Scope,
  { idHash, expiresAt }: { idHash: string; expiresAt: Date },
): Promise<boolean> => {
  const rows = await tx
    .insert(samlAssertions)
    .values({ organizationId, idHash, expiresAt })
    .onConflictDoNothing()
    .returning({ idHash: samlAssertions.idHash })
  return rows.length === 1
}

export interface SamlUser {
  id: string
  email: string
  name: string
}

export interface SamlUserWithRole extends SamlUser {
  role: string
}

interface IdentityKey {
  idpEntityId: string
  nameId: string
}

export const userByNameId = async (
  { tx, organizationId }: Scope,
  { idpEntityId, nameId }: IdentityKey,
): Promise<SamlUserWithRole | null> => {
  const [row] = await tx
    .select({ id: users.id, email: users.email, name: users.name, role: memberships.role })
    .from(samlIdentities)
    .innerJoin(users, eq(users.id, samlIdentities.userId))
    .innerJoin(
      memberships,
      and(
        eq(memberships.organizationId, samlIdentities.organizationId),
        eq(memberships.userId, samlIdentities.userId),
      ),
    )
    .where(
      and(
        eq(samlIdentities.organizationId, organizationId),
        eq(samlIdentities.idpEntityId, idpEntityId),
        eq(samlIdentities.nameId, nameId),
      ),
    )
  return row ?? null
}

export const insertIdentity = async (
  { tx, now, organizationId }: Scope,
  { idpEntityId, nameId, userId }: IdentityKey & { userId: string },
): Promise<void> => {
  const id = newId()
  const row = { organizationId, id, idpEntityId, nameId, userId, createdAt: now }
  await tx.insert(samlIdentities).values(row)
}

export interface UserWithAddress extends SamlUser {
  isVerified: boolean
  organizationIds: string[]
}

/** Returns the account with the address and its organizations. */
export const userByEmail = async (
  { tx }: SystemScope,
  email: string,
): Promise<UserWithAddress | null> => {
  const rows = await tx
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      emailVerifiedAt: users.emailVerifiedAt,
      organizationId: memberships.organizationId,
    })
    .from(users)
    .leftJoin(memberships, eq(memberships.userId, users.id))
    .where(eq(users.email, email))
  const [first] = rows
  if (first === undefined) return null
  const organizationIds = rows.flatMap(({ organizationId }) => organizationId ?? [])
  const isVerified = first.emailVerifiedAt !== null
  return { id: first.id, email: first.email, name: first.name, isVerified, organizationIds }
}

/** Creates an account without a password, which can log in through the provider only. */
export const insertUser = async ({ tx, now }: Scope, person: SamlUser): Promise<void> => {
  const { id, email, name } = person
  const times = { emailVerifiedAt: now, createdAt: now, updatedAt: now }
  await tx.insert(users).values({ id, email, name, ...times })
}

/**
 * Removes the password of an account without memberships, because another person may know it by
 * now.
 */
export const removePassword = async ({ tx, now }: Scope, userId: string): Promise<void> => {
  await tx.update(users).set({ passwordHash: null, updatedAt: now }).where(eq(users.id, userId))
}

export const markSsoLogin = async ({ tx, now }: Scope, userId: string): Promise<void> => {
  await tx.update(users).set({ lastLoginAt: now }).where(eq(users.id, userId))
}
