/** SQL of sessions. Rows contain hashes of tokens, never a token. */
import { newId, type Scope, type SystemScope } from '@status-page/postgres'
import { and, desc, eq, gt, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'
import { memberships, organizations, roles, sessions, twoFactor, users } from '../../tables.ts'
import { admitsPasswordLogin } from '../users/rules.ts'

export type SessionMethod = 'password' | 'sso'

export interface NewSession {
  organizationId: string
  userId: string
  tokenHash: string
  method: SessionMethod
  ipAddress: string | null
  userAgent: string | null
  /** Creation time of the session that the new one continues; now by default. */
  createdAt?: Date
}

export const insertSession = async (
  { tx, now }: Scope | SystemScope,
  session: NewSession,
): Promise<void> => {
  const { organizationId, userId, tokenHash, method, ipAddress, userAgent } = session
  await tx.insert(sessions).values({
    organizationId,
    id: newId(),
    userId,
    tokenHash,
    method,
    ipAddress,
    userAgent,
    createdAt: session.createdAt ?? now,
    lastSeenAt: now,
  })
}

export interface StoredSession {
  id: string
  organizationId: string
  userId: string
  createdAt: Date
  lastSeenAt: Date
  method: SessionMethod
  email: string
  role: string
  /** Rights of a custom role; null for a built-in one. */
  customRights: string[] | null
  /** True after a change of role; the next response sets a new token. */
  shouldRenew: boolean
  /** True when the organization requires a second factor and the user has none. */
  needsEnrolment: boolean
}

/**
 * Returns the session of a token. A renewed token stays valid for a few seconds. A password session
 * is valid only while the organization admits password logins: when it enforces single sign-on,
 * existing password sessions end.
 */
export const sessionByHash = async (
  { tx, now }: SystemScope,
  tokenHash: string,
): Promise<StoredSession | null> => {
  const { id, organizationId, userId, createdAt, lastSeenAt, method, shouldRenew } = sessions
  const [row] = await tx
    .select({
      id,
      organizationId,
      userId,
      createdAt,
      lastSeenAt,
      method,
      shouldRenew,
      email: users.email,
      role: memberships.role,
      customRights: roles.permissions,
      isRequired: organizations.require2fa,
      ssoEnforced: organizations.ssoEnforced,
      isEnabled: isNotNull(twoFactor.userId).mapWith(Boolean),
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
    .innerJoin(organizations, eq(organizations.id, sessions.organizationId))
    .leftJoin(twoFactor, eq(twoFactor.userId, sessions.userId))
    .leftJoin(
      roles,
      and(
        eq(roles.organizationId, sessions.organizationId),
        sql`${roles.id}::text = ${memberships.role}`,
      ),
    )
    .where(
      and(
        eq(sessions.tokenHash, tokenHash),
        isNull(organizations.deletionStartedAt),
        or(isNull(sessions.replacedUntil), gt(sessions.replacedUntil, now)),
      ),
    )
  if (row === undefined) return null
  const { isRequired, isEnabled: hasTwoFactor, ssoEnforced, ...session } = row
  const isPassword = session.method === 'password'
  if (isPassword && !admitsPasswordLogin({ ssoEnforced, role: row.role, hasTwoFactor })) return null
  return { ...session, needsEnrolment: isRequired && !hasTwoFactor && isPassword }
}

export type SessionRow = Omit<typeof sessions.$inferSelect, 'shouldRenew' | 'replacedUntil'>

const visible = {
  organizationId: sessions.organizationId,
  id: sessions.id,
  userId: sessions.userId,
  tokenHash: sessions.tokenHash,
  createdAt: sessions.createdAt,
  lastSeenAt: sessions.lastSeenAt,
  method: sessions.method,
  ipAddress: sessions.ipAddress,
  userAgent: sessions.userAgent,
}

/** Sessions of a user in all organizations; a login limits their number. */
export const sessionsOfUser = ({ tx }: SystemScope, userId: string): Promise<SessionRow[]> =>
  tx
    .select(visible)
    .from(sessions)
    .where(and(eq(sessions.userId, userId), isNull(sessions.replacedUntil)))

/** Ends the presented session and all but the `retainedCount` newest sessions of the user. */
export const endOtherSessions = async (
  { tx }: SystemScope,
  {
    userId,
    presented,
    retainedCount,
  }: { userId: string; presented: string | null; retainedCount: number },
): Promise<string[]> => {
  const surplus = tx
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    // Renewed sessions expire within seconds, so they sort last and displace no other session.
    .orderBy(desc(isNull(sessions.replacedUntil)), desc(sessions.lastSeenAt), desc(sessions.id))
    .offset(retainedCount)
  const isSurplus = inArray(sessions.tokenHash, surplus)
  const rows = await tx
    .delete(sessions)
    .where(presented === null ? isSurplus : or(eq(sessions.tokenHash, presented), isSurplus))
    .returning({ tokenHash: sessions.tokenHash })
  return rows.map(({ tokenHash }) => tokenHash)
}

export const deleteSession = async (
  { tx }: Scope | SystemScope,
  tokenHash: string,
): Promise<boolean> => {
  const rows = await tx
    .delete(sessions)
    .where(eq(sessions.tokenHash, tokenHash))
    .returning({ id: sessions.id })
  return rows.length === 1
}
