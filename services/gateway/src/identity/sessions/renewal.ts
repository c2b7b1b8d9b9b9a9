/**
 * Renewal of session tokens after a change of role: the change marks the sessions of the affected
 * users, and the response to the next request of a marked session sets a new cookie. The old token
 * stays valid for a few seconds, for requests in flight.
 */
import type { Actor } from '@status-page/contracts'
import { asLookup, type Database, type Scope } from '@status-page/postgres'
import { hashToken, randomToken } from '@status-page/secrets'
import { and, eq, inArray } from 'drizzle-orm'
import { sessions } from '../../tables.ts'
import { insertSession } from './session-store.ts'

const GRACE_MS = 10_000

export const markSessionsForRenewal = async (
  { tx, organizationId }: Scope,
  userIds: readonly string[],
): Promise<void> => {
  await tx
    .update(sessions)
    .set({ shouldRenew: true })
    .where(and(eq(sessions.organizationId, organizationId), inArray(sessions.userId, [...userIds])))
}

/**
 * Returns the new token, or null when another request renewed the session first. The creation time
 * of the session is retained.
 */
export const renewMarkedSession = (
  database: Database,
  tokenHash: string,
  { ipAddress, userAgent }: Pick<Actor, 'ipAddress' | 'userAgent'>,
): Promise<string | null> =>
  asLookup(database, async (systemScope) => {
    const { organizationId, userId, createdAt, method } = sessions
    const [replaced] = await systemScope.tx
      .update(sessions)
      .set({ shouldRenew: false, replacedUntil: new Date(systemScope.now.getTime() + GRACE_MS) })
      .where(and(eq(sessions.tokenHash, tokenHash), eq(sessions.shouldRenew, true)))
      .returning({ organizationId, userId, createdAt, method })
    if (replaced === undefined) return null
    const token = randomToken()
    const origin = { ipAddress, userAgent }
    await insertSession(systemScope, { ...replaced, ...origin, tokenHash: hashToken(token) })
    return token
  })
