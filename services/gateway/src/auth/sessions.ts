/** The life of a session: a new token for each login, the old one gone before the new one counts. */
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
import { announceRevoked, type Credentials } from './credentials.ts'
import type { ReplicaRegistry } from './replica-registry.ts'
import { accountAudit } from './rules.ts'
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

/** The actor of somebody who has just proved who they are. */
export const asUser = ({ actor }: Pick<Call, 'actor'>, userId: string): Actor => ({
  ...actor,
  type: 'user',
  userId,
})

/** Hash of the token that the browser carried; it is ended, never adopted. */
export const presentedHash = (
  { headers }: Pick<Call, 'headers'>,
  { cookie }: Pick<SessionOptions, 'cookie'>,
): string | null => {
  const token = cookie.read(headers.cookie as string | undefined)
  return token === null ? null : hashToken(token)
}

/** How many sessions stay beside the new one: a login makes room, a new password ends all. */
export const retainedSessions = { login: MAX_SESSIONS_PER_USER - 1, newCredential: 0 } as const

export interface Renewal {
  userId: string
  organizationId: string
  /** Null where the browser carried none. */
  presented: string | null
  toCacheEntry: number
  actor: Pick<Actor, 'ipAddress' | 'userAgent'>
  method: SessionMethod
  createdAt?: Date
}

export interface Renewed {
  token: string
  ended: string[]
}

/** Ends and begins in one commit; `forgetEnded` once it has happened. */
export const renewSession = async (
  systemScope: SystemScope,
  renewal: Renewal,
): Promise<Renewed> => {
  const { userId, organizationId, presented, toCacheEntry, actor, method, createdAt } = renewal
  const ended = await endOtherSessions(systemScope, { userId, presented, toCacheEntry })
  await announceRevoked(systemScope, ended)
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

/** After the commit: from the moment of the answer on, no replica honours what was ended. */
export const forgetEnded = async (
  ended: readonly string[],
  { credentials, replicas }: SessionOptions,
): Promise<void> => {
  for (const tokenHash of ended) credentials.forget(tokenHash)
  if (ended.length > 0) await replicas.waitForCacheExpiry()
}

/**
 * Ends the session that the browser carried and those beyond the limit, once the new session is
 * committed: a request that is refused leaves the caller's session alone.
 */
export const endReplaced = async (
  userId: string,
  presented: string | null,
  options: SessionOptions,
): Promise<void> => {
  const ended = await asLookup(options.database, async (systemScope) => {
    const toCacheEntry = MAX_SESSIONS_PER_USER
    const hashes = await endOtherSessions(systemScope, { userId, presented, toCacheEntry })
    await announceRevoked(systemScope, hashes)
    return hashes
  })
  await forgetEnded(ended, options)
}

/** In the change that makes the membership; the cookie is set once the change has committed. */
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

/** Without a session there is nothing to end, and nothing wrong. */
export const endSession = async (call: Call, options: SessionOptions): Promise<void> => {
  const { database, credentials, replicas } = options
  const tokenHash = presentedHash(call, options)
  if (tokenHash === null) return
  const session = await asLookup(database, (systemScope) => sessionByHash(systemScope, tokenHash))
  if (session === null) return
  const { organizationId, userId: id, email } = session
  await transact(database, { organizationId, actor: asUser(call, id) }, async (scope) => {
    const isEnded = await deleteSession(scope, tokenHash)
    await announceRevoked(scope, [tokenHash])
    const audit = isEnded ? [accountAudit('auth.logout', { id, email })] : []
    return { result: null, events: [], audit }
  })
  credentials.forget(tokenHash)
  await replicas.waitForCacheExpiry()
}
