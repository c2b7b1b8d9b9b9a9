/** Accounts, memberships, sessions and wrong guesses in the database. */
import type { Crossing, Scope } from '@status-page/postgres'
import { newId } from '@status-page/postgres'
import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import { loginFailures, memberships, organizations, sessions, users } from '../tables.ts'
import { type LoginFailures, noFailures } from './login-delay.ts'

export interface Account {
  id: string
  email: string
  name: string
  passwordHash: string | null
}

export interface Membership {
  organizationId: string
  organizationName: string
  slug: string
  role: string
}

export const accountByEmail = async ({ tx }: Crossing, email: string): Promise<Account | null> => {
  const { id, name, passwordHash } = users
  const [row] = await tx
    .select({ id, email: users.email, name, passwordHash })
    .from(users)
    .where(eq(users.email, email))
  return row ?? null
}

export const accountById = async ({ tx }: Crossing, id: string): Promise<Account | null> => {
  const { email, name, passwordHash } = users
  const [row] = await tx
    .select({ id: users.id, email, name, passwordHash })
    .from(users)
    .where(eq(users.id, id))
  return row ?? null
}

export const ownOrganization = async ({ tx, organizationId }: Scope) => {
  const { id, name, slug } = organizations
  const [row] = await tx
    .select({ id, name, slug })
    .from(organizations)
    .where(eq(organizations.id, organizationId))
  return row ?? null
}

/** Oldest first: the first is where a login goes. */
export const membershipsOf = ({ tx }: Crossing, userId: string): Promise<Membership[]> =>
  tx
    .select({
      organizationId: memberships.organizationId,
      organizationName: organizations.name,
      slug: organizations.slug,
      role: memberships.role,
    })
    .from(memberships)
    .innerJoin(organizations, eq(organizations.id, memberships.organizationId))
    .where(eq(memberships.userId, userId))
    .orderBy(memberships.createdAt)

export const insertAccount = async (
  { tx, now }: Scope,
  account: { id: string; email: string; name: string; passwordHash: string },
): Promise<void> => {
  await tx.insert(users).values({ ...account, createdAt: now, updatedAt: now })
}

/** False when the slug is taken, by whomever. */
export const insertOrganization = async (
  { tx, now }: Scope,
  organization: { id: string; name: string; slug: string },
): Promise<boolean> => {
  const rows = await tx
    .insert(organizations)
    .values({ ...organization, createdAt: now, updatedAt: now })
    .onConflictDoNothing({ target: organizations.slug })
    .returning({ id: organizations.id })
  return rows.length === 1
}

export const insertMembership = async (
  { tx, now, organizationId }: Scope,
  { id, userId, role }: { id: string; userId: string; role: string },
): Promise<void> => {
  await tx
    .insert(memberships)
    .values({ organizationId, id, userId, role, createdAt: now, updatedAt: now })
}

export const insertSession = async (
  { tx, now, organizationId }: Scope,
  { userId, tokenHash }: { userId: string; tokenHash: string },
): Promise<void> => {
  await tx
    .insert(sessions)
    .values({ organizationId, id: newId(), userId, tokenHash, createdAt: now, lastSeenAt: now })
}

export interface StoredSession {
  id: string
  organizationId: string
  userId: string
  createdAt: Date
  lastSeenAt: Date
  email: string
  role: string
}

export const sessionByHash = async (
  { tx }: Crossing,
  tokenHash: string,
): Promise<StoredSession | null> => {
  const { id, organizationId, userId, createdAt, lastSeenAt } = sessions
  const [row] = await tx
    .select({
      id,
      organizationId,
      userId,
      createdAt,
      lastSeenAt,
      email: users.email,
      role: memberships.role,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .innerJoin(
      memberships,
      and(
        eq(memberships.organizationId, sessions.organizationId),
        eq(memberships.userId, sessions.userId),
      ),
    )
    .where(eq(sessions.tokenHash, tokenHash))
  return row ?? null
}

/** Whatever the browser carried before ends; so do all but the newest of the user. */
export const endOtherSessions = async (
  { tx }: Crossing,
  { userId, presented, keep }: { userId: string; presented: string | null; keep: number },
): Promise<string[]> => {
  const surplus = tx
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(desc(sessions.lastSeenAt), desc(sessions.id))
    .offset(keep)
  const rows = await tx
    .delete(sessions)
    .where(
      presented === null
        ? inArray(sessions.tokenHash, surplus)
        : sql`${sessions.tokenHash} = ${presented} OR ${inArray(sessions.tokenHash, surplus)}`,
    )
    .returning({ tokenHash: sessions.tokenHash })
  return rows.map(({ tokenHash }) => tokenHash)
}

export const deleteSession = async ({ tx }: Scope, tokenHash: string): Promise<boolean> => {
  const rows = await tx
    .delete(sessions)
    .where(eq(sessions.tokenHash, tokenHash))
    .returning({ id: sessions.id })
  return rows.length === 1
}

/** The row is locked, or made and locked: parallel guesses are judged one after the other. */
export const lockFailures = async ({ tx }: Crossing, key: string): Promise<LoginFailures> => {
  await tx.insert(loginFailures).values({ key, failedAt: [], blocks: 0 }).onConflictDoNothing()
  const [row] = await tx
    .select()
    .from(loginFailures)
    .where(eq(loginFailures.key, key))
    .for('update')
  return row ?? noFailures
}

export const saveFailures = async (
  { tx }: Crossing,
  key: string,
  { failedAt, blocks, blockedUntil }: LoginFailures,
): Promise<void> => {
  await tx
    .update(loginFailures)
    .set({ failedAt, blocks, blockedUntil })
    .where(eq(loginFailures.key, key))
}

export const forgetFailures = async ({ tx }: Crossing, key: string): Promise<void> => {
  await tx.delete(loginFailures).where(eq(loginFailures.key, key))
}
