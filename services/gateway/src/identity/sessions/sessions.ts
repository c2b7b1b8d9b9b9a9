/**
 * Lifecycle of sessions. Each login creates a new token, and the old one ends before the new one is
 * valid.
 */
import type { Actor } from '@status-page/contracts'
import {
  asLookup,
  type Database,
  type Scope,
  type SystemScope,
  transact,
} from '@status-page/postgres'
import { hashToken, randomToken } from '@status-page/secrets'
import type { Call } from '@status-page/service'
import { accountAudit } from '../users/rules.ts'
import { type Credentials, publishRevocations } from './credentials.ts'
import type { ReplicaRegistry } from './replica-registry.ts'
import { MAX_SESSIONS_PER_USER, type SessionCookie } from './session-cookie.ts'
import {
  deleteSession,
  endOtherSessions,
  insertSession,
  type SessionMethod,
  sessionByHash,
} from './session-store.ts'

export interface SessionOptions {
  database: Database
  cookie: SessionCookie
  credentials: Credentials
  replicas: ReplicaRegistry
}

/** Actor of a user who has just authenticated. */
export const userActorOf = ({ actor }: Pick<Call, 'actor'>, userId: string): Actor => ({
  ...actor,
  type: 'user',
  userId,
})

/** Hash of the token that the browser presented; a login ends its session and never reuses it. */
export const presentedTokenHash = (
  { headers }: Pick<Call, 'headers'>,
  { cookie }: Pick<SessionOptions, 'cookie'>,
): string | null => {
  const token = cookie.read(headers.cookie as string | undefined)
  return token === null ? null : hashToken(token)
}

/**
 * Number of other sessions that remain: a login makes room for its own, a new credential ends all.
 */
export const retainedSessionCounts = { login: MAX_SESSIONS_PER_USER - 1, newCredential: 0 } as const

export interface SessionRenewal {
  userId: string
  organizationId: string
  /** Hash of the presented token; null without one. */
  presented: string | null
  retainedCount: number
  actor: Pick<Actor, 'ipAddress' | 'userAgent'>
  method: SessionMethod
  createdAt?: Date
}

export interface RenewedSession {
  token: string
  ended: string[]
}

/**
 * Ends other sessions and begins the new one in the transaction; `invalidateEndedSessions` follows
 * after the commit.
 */
export const renewSession = async (
  systemScope: SystemScope,
  renewal: SessionRenewal,
): Promise<RenewedSession> => {
  const { userId, organizationId, presented, retainedCount, actor, method, createdAt } = renewal
  const ended = await endOtherSessions(systemScope, { userId, presented, retainedCount })
  await publishRevocations(systemScope, ended)
  const token = randomToken()
  await insertSession(systemScope, {
    organizationId,
    userId,
    tokenHash: hashToken(token),
    method,
    ipAddress: actor.ipAddress,
    userAgent: actor.userAgent,
    ...(createdAt === undefined ? {} : { createdAt }),
  })
  return { token, ended }
}

/** Invalidates ended sessions after the commit; once it resolves, no replica accepts them. */
export const invalidateEndedSessions = async (
  ended: readonly string[],
  { credentials, replicas }: SessionOptions,
): Promise<void> => {
  for (const tokenHash of ended) credentials.invalidate(tokenHash)
  if (ended.length > 0) await replicas.waitForCacheExpiry()
}

/**
 * Ends the presented session and those beyond the limit. Called after the new session is committed,
 * so that a refused request does not end the caller's session.
 */
export const endReplacedSessions = async (
  userId: string,
  presented: string | null,
  options: SessionOptions,
): Promise<void> => {
  const ended = await asLookup(options.database, async (systemScope) => {
    const retainedCount = MAX_SESSIONS_PER_USER
    const hashes = await endOtherSessions(systemScope, { userId, presented, retainedCount })
    await publishRevocations(systemScope, hashes)
    return hashes
  })
  await invalidateEndedSessions(ended, options)
}

/**
 * Begins a session in the transaction that creates the membership; the caller sets the cookie after
 * the commit.
 */
export const beginSession = async (
  scope: Scope,
  session: {
    userId: string
    actor: Pick<Actor, 'ipAddress' | 'userAgent'>
    method?: SessionMethod
  },
): Promise<string> => {
  const token = randomToken()
  const { organizationId } = scope
  const { userId, actor, method = 'password' } = session
  const { ipAddress, userAgent } = actor
  const tokenHash = hashToken(token)
  await insertSession(scope, { organizationId, userId, tokenHash, method, ipAddress, userAgent })
  return token
}

/** Ends the presented session; succeeds without one. */
export const endSession = async (call: Call, options: SessionOptions): Promise<void> => {
  const { database, credentials, replicas } = options
  const tokenHash = presentedTokenHash(call, options)
  if (tokenHash === null) return
  const session = await asLookup(database, (systemScope) => sessionByHash(systemScope, tokenHash))
  if (session === null) return
  const { organizationId, userId: id, email } = session
  await transact(database, { organizationId, actor: userActorOf(call, id) }, async (scope) => {
    const isEnded = await deleteSession(scope, tokenHash)
    await publishRevocations(scope, [tokenHash])
    const audit = isEnded ? [accountAudit('auth.logout', { id, email })] : []
    return { result: null, events: [], audit }
  })
  credentials.invalidate(tokenHash)
  await replicas.waitForCacheExpiry()
}
