/**
 * A changed role changes the token of the session: the change marks the sessions of those whom it
 * concerns, and the first request that carries a marked one is answered with a new cookie. Requests
 * under way with the old token are honoured for a few seconds more.
 */
import type { Actor } from '@status-page/contracts'
import { asLookup, type Database, type Scope } from '@status-page/postgres'
import { hashToken, randomToken } from '@status-page/secrets'
import { and, eq, inArray } from 'drizzle-orm'
import { sessions } from '../tables.ts'
import { insertSession } from './session-store.ts'

const GRACE_MS = 10_000

export const markForRenewal = async (
  { tx, organizationId }: Scope,
  userIds: readonly string[],
): Promise<void> => {
  await tx
    .update(sessions)
    .set({ renew: true })
    .where(and(eq(sessions.organizationId, organizationId), inArray(sessions.userId, [...userIds])))
}

/** The new token, or null where another request was first. The age of the session goes on. */
export const renewMarked = (
  database: Database,
  tokenHash: string,
  { ipAddress, userAgent }: Pick<Actor, 'ipAddress' | 'userAgent'>,
): Promise<string | null> =>
  asLookup(database, async (systemScope) => {
    const { organizationId, userId, createdAt, method } = sessions
    const [replaced] = await systemScope.tx
      .update(sessions)
      .set({ renew: false, replacedUntil: new Date(systemScope.now.getTime() + GRACE_MS) })
      .where(and(eq(sessions.tokenHash, tokenHash), eq(sessions.renew, true)))
      .returning({ organizationId, userId, createdAt, method })
    if (replaced === undefined) return null
    const token = randomToken()
    const origin = { ipAddress, userAgent }
    await insertSession(systemScope, { ...replaced, ...origin, tokenHash: hashToken(token) })
    return token
  })
