/** SQL of verification tokens: hashes that are valid for seven days and for one use. */
import { newId, type Scope, type SystemScope } from '@status-page/postgres'
import { and, eq, gt, sql } from 'drizzle-orm'
import { emailVerifications, memberships } from '../../tables.ts'

export interface NewVerification {
  userId: string
  tokenHash: string
  expiresAt: Date
}

/** Returns the id of the row; the token is sealed with it as context. */
export const insertVerification = async (
  { tx }: Scope | SystemScope,
  verification: NewVerification,
): Promise<string> => {
  const id = newId()
  await tx.insert(emailVerifications).values({ id, ...verification })
  return id
}

const isUsable = (
  now: Date,
  { userId, tokenHash }: Pick<NewVerification, 'userId' | 'tokenHash'>,
) =>
  and(
    eq(emailVerifications.tokenHash, tokenHash),
    eq(emailVerifications.userId, userId),
    gt(emailVerifications.expiresAt, now),
  )

/** Returns false for a token that is unknown, used, expired or of another account. */
export const isVerification = async (
  { tx, now }: SystemScope,
  verification: Pick<NewVerification, 'userId' | 'tokenHash'>,
): Promise<boolean> => (await tx.$count(emailVerifications, isUsable(now, verification))) > 0

/** Returns false like `isVerification`. */
export const consumeVerification = async (
  { tx, now }: SystemScope,
  verification: Pick<NewVerification, 'userId' | 'tokenHash'>,
): Promise<boolean> => {
  const rows = await tx
    .delete(emailVerifications)
    .where(isUsable(now, verification))
    .returning({ id: emailVerifications.id })
  return rows.length === 1
}

export const deleteVerifications = async ({ tx }: SystemScope, userId: string): Promise<void> => {
  await tx.delete(emailVerifications).where(eq(emailVerifications.userId, userId))
}

export interface MembershipVersion {
  organizationId: string
  membershipId: string
  role: string
  /** Version before the change. */
  version: number
}

/** Raises the version of all memberships of a user, for their events. */
export const raiseMembershipVersions = async (
  { tx, now }: SystemScope,
  userId: string,
): Promise<MembershipVersion[]> => {
  const rows = await tx
    .update(memberships)
    .set({ version: sql`${memberships.version} + 1`, updatedAt: now })
    .where(eq(memberships.userId, userId))
    .returning({
      organizationId: memberships.organizationId,
      membershipId: memberships.id,
      role: memberships.role,
      version: memberships.version,
    })
  return rows.map((row) => ({ ...row, version: row.version - 1 }))
}
