/** SQL of reset tokens: hashes that are valid for one hour and for one use. */
import { newId, type SystemScope } from '@status-page/postgres'
import { and, eq, gt } from 'drizzle-orm'
import { passwordResets, resetRequests } from '../../tables.ts'

/**
 * Locks the row, after creating it if necessary, so that parallel requests are counted one after
 * another.
 */
export const lockResetRequests = async ({ tx }: SystemScope, key: string): Promise<Date[]> => {
  await tx.insert(resetRequests).values({ key, requestedAt: [] }).onConflictDoNothing()
  const [row] = await tx
    .select({ requestedAt: resetRequests.requestedAt })
    .from(resetRequests)
    .where(eq(resetRequests.key, key))
    .for('update')
  return row?.requestedAt ?? []
}

export const saveResetRequests = async (
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

/**
 * Returns the user of a reset token without consuming it, so that a rejected password does not cost
 * the token.
 */
export const userIdOfResetToken = async (
  { tx, now }: SystemScope,
  tokenHash: string,
): Promise<string | null> => {
  const [row] = await tx
    .select({ userId: passwordResets.userId })
    .from(passwordResets)
    .where(isOpen(tokenHash, now))
  return row?.userId ?? null
}

/** Consumes the token; returns false when another request was first. */
export const consumeReset = async (
  { tx, now }: SystemScope,
  tokenHash: string,
): Promise<boolean> => {
  const rows = await tx
    .delete(passwordResets)
    .where(isOpen(tokenHash, now))
    .returning({ id: passwordResets.id })
  return rows.length === 1
}

/** Deletes all reset tokens of a user; every change of the password invalidates them. */
export const deleteResets = async ({ tx }: SystemScope, userId: string): Promise<void> => {
  await tx.delete(passwordResets).where(eq(passwordResets.userId, userId))
}
