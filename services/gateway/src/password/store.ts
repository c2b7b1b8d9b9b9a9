/** Reset tokens in the database: hashes that live an hour and are used once. */
import { newId, type SystemScope } from '@status-page/postgres'
import { and, eq, gt } from 'drizzle-orm'
import { passwordResets, resetRequests } from '../tables.ts'

/** The row is locked, or made and locked: parallel requests are counted one after the other. */
export const lockRequests = async ({ tx }: SystemScope, key: string): Promise<Date[]> => {
  await tx.insert(resetRequests).values({ key, requestedAt: [] }).onConflictDoNothing()
  const [row] = await tx
    .select({ requestedAt: resetRequests.requestedAt })
    .from(resetRequests)
    .where(eq(resetRequests.key, key))
    .for('update')
  return row?.requestedAt ?? []
}

export const saveRequests = async (
  { tx }: SystemScope,
  key: string,
  requestedAt: Date[],
): Promise<void> => {
  await tx.update(resetRequests).set({ requestedAt }).where(eq(resetRequests.key, key))
}

export const insertReset = async (
  { tx }: SystemScope,
  reset: { userId: string; tokenHash: string; expiresAt: Date },
): Promise<string> => {
  const id = newId()
  await tx.insert(passwordResets).values({ id, ...reset })
  return id
}

const isOpen = (tokenHash: string, now: Date) =>
  and(eq(passwordResets.tokenHash, tokenHash), gt(passwordResets.expiresAt, now))

/** Whose reset it is, without using it up: what is wrong with the password is said first. */
export const userOfReset = async (
  { tx, now }: SystemScope,
  tokenHash: string,
): Promise<string | null> => {
  const [row] = await tx
    .select({ userId: passwordResets.userId })
    .from(passwordResets)
    .where(isOpen(tokenHash, now))
  return row?.userId ?? null
}

/** False when another request was first. */
export const useReset = async ({ tx, now }: SystemScope, tokenHash: string): Promise<boolean> => {
  const rows = await tx
    .delete(passwordResets)
    .where(isOpen(tokenHash, now))
    .returning({ id: passwordResets.id })
  return rows.length === 1
}

/** A password that was set by any way ends the links of all mails. */
export const deleteResets = async ({ tx }: SystemScope, userId: string): Promise<void> => {
  await tx.delete(passwordResets).where(eq(passwordResets.userId, userId))
}
