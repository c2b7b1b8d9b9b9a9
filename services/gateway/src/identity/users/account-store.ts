/** SQL of accounts and of their failed logins. */
import type { Scope, SystemScope } from '@status-page/postgres'
import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import { loginFailures, twoFactor, users } from '../../tables.ts'
import { type LoginFailures, noLoginFailures } from './login-delay.ts'

export interface Account {
  id: string
  email: string
  name: string
  passwordHash: string | null
  /** Null until the owner has proved to receive mail at the address. */
  emailVerifiedAt: Date | null
  twoFactorEnabled: boolean
}

const selectAccount = ({ tx }: SystemScope) =>
  tx
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      passwordHash: users.passwordHash,
      emailVerifiedAt: users.emailVerifiedAt,
      twoFactorEnabled: isNotNull(twoFactor.userId).mapWith(Boolean),
    })
    .from(users)
    .leftJoin(twoFactor, eq(twoFactor.userId, users.id))

export const accountByEmail = async (
  systemScope: SystemScope,
  email: string,
): Promise<Account | null> => {
  const [row] = await selectAccount(systemScope).where(eq(users.email, email))
  return row ?? null
}

export const accountById = async (
  systemScope: SystemScope,
  id: string,
): Promise<Account | null> => {
  const [row] = await selectAccount(systemScope).where(eq(users.id, id))
  return row ?? null
}

/** Locks the account, so that logins and credential changes run one after another. */
export const lockAccount = async (
  systemScope: SystemScope,
  id: string,
): Promise<Account | null> => {
  await systemScope.tx.select({ id: users.id }).from(users).where(eq(users.id, id)).for('update')
  // Read after the lock, to see the changes of the previous holder.
  return accountById(systemScope, id)
}

export const insertAccount = async (
  { tx, now }: Scope,
  account: Pick<Account, 'id' | 'email' | 'name' | 'passwordHash' | 'emailVerifiedAt'>,
): Promise<void> => {
  const times = { lastLoginAt: now, createdAt: now, updatedAt: now }
  await tx.insert(users).values({ ...account, ...times })
}

/** Resets the account of a person who belongs to no organization and accepts a new invitation. */
export const reopenAccount = async (
  { tx, now }: Scope,
  { id, name, passwordHash }: { id: string; name: string; passwordHash: string },
): Promise<void> => {
  const row = {
    name,
    passwordHash,
    emailVerifiedAt: now,
    lastLoginAt: now,
    updatedAt: now,
  }
  await tx.update(users).set(row).where(eq(users.id, id))
}

export const setPassword = async (
  { tx, now }: SystemScope,
  id: string,
  passwordHash: string,
): Promise<void> => {
  await tx.update(users).set({ passwordHash, updatedAt: now }).where(eq(users.id, id))
}

/** Sets the time of the first verification; later ones do not change it. */
export const markEmailVerified = async (
  { tx, now }: Scope | SystemScope,
  id: string,
): Promise<void> => {
  const isUnverified = and(eq(users.id, id), isNull(users.emailVerifiedAt))
  await tx.update(users).set({ emailVerifiedAt: now }).where(isUnverified)
}

export const setEmail = async (
  { tx, now }: SystemScope,
  id: string,
  email: string,
): Promise<void> => {
  await tx.update(users).set({ email, updatedAt: now }).where(eq(users.id, id))
}

export const setName = async (
  { tx, now }: SystemScope,
  id: string,
  name: string,
): Promise<void> => {
  await tx.update(users).set({ name, updatedAt: now }).where(eq(users.id, id))
}

export const markLogin = async ({ tx, now }: SystemScope, id: string): Promise<void> => {
  await tx.update(users).set({ lastLoginAt: now }).where(eq(users.id, id))
}

/**
 * Locks the row, after creating it if necessary, so that parallel guesses are counted one after
 * another.
 */
export const lockLoginFailures = async (
  { tx }: SystemScope,
  key: string,
): Promise<LoginFailures> => {
  await tx.insert(loginFailures).values({ key, failedAt: [], blocks: 0 }).onConflictDoNothing()
  const [row] = await tx
    .select()
    .from(loginFailures)
    .where(eq(loginFailures.key, key))
    .for('update')
  return row ?? noLoginFailures
}

export const saveLoginFailures = async (
  { tx }: SystemScope,
  key: string,
  { failedAt, blocks, blockedUntil }: LoginFailures,
): Promise<void> => {
  await tx
    .update(loginFailures)
    .set({ failedAt, blocks, blockedUntil })
    .where(eq(loginFailures.key, key))
}

export const resetLoginFailures = async ({ tx }: SystemScope, key: string): Promise<void> => {
  await tx.delete(loginFailures).where(eq(loginFailures.key, key))
}
