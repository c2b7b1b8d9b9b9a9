/**
 * Identification of the caller by bearer key or session cookie. Results are cached for at most one
 * second and invalidated by NOTIFY; the database is the source of truth.
 */
import { type RoleName, rightsOfRole } from '@status-page/contracts'
import { asLookup, type Database, type Scope, type SystemScope } from '@status-page/postgres'
import { hashToken } from '@status-page/secrets'
import { sql } from 'drizzle-orm'
import { keyByHash } from '../api-keys/store.ts'
import { KEY_PATTERN } from '../api-keys/token.ts'
import { createCredentialCache } from './credential-cache.ts'
import { type IdentifiedCaller, unidentifiedCaller } from './identified-caller.ts'
import type { LastUsedRecorder } from './last-used.ts'
import type { ReplicaRegistry } from './replica-registry.ts'
import { isSessionAlive, type SessionCookie, sessionExpiryOf } from './session-cookie.ts'
import { type StoredSession, sessionByHash } from './session-store.ts'

export interface Credentials {
  /** Returns whether the request carries a session token, which may be forged. */
  presentsSession(rawHeaders: readonly string[]): boolean
  /** Returns the cached identity; null when the database has to be queried. */
  lookupCached(rawHeaders: readonly string[]): IdentifiedCaller | null
  identify(rawHeaders: readonly string[]): Promise<IdentifiedCaller>
  /**
   * Drops the cached entries of a token or of an organization in this replica; others receive a
   * NOTIFY.
   */
  invalidate(revocationKey: string): void
  /**
   * Registers a callback for revocations by any replica. It receives the hash of a token or the key
   * of an organization; null when revocations may have been missed.
   */
  onRevoked(listener: (revocationKey: string | null) => void): void
  /** Starts to listen for the revocations of all replicas. */
  listen(): Promise<{ close(): Promise<void> }>
}

const CHANNEL = 'gateway_credentials'

const ORGANIZATION_PREFIX = 'organization:'

/**
 * Revocation key of all keys and sessions of an organization; its prefix never occurs in a token
 * hash.
 */
export const organizationRevocationKey = (organizationId: string): string =>
  `${ORGANIZATION_PREFIX}${organizationId}`

/**
 * Sends the revocations with the current transaction; every replica drops the matching cache
 * entries when it commits.
 */
export const publishRevocations = async (
  { tx }: Scope | SystemScope,
  revocationKeys: readonly string[],
): Promise<void> => {
  for (const revocationKey of revocationKeys)
    await tx.execute(sql`SELECT pg_notify(${CHANNEL}, ${revocationKey})`)
}

export const createCredentials = (options: {
  database: Database
  cookie: SessionCookie
  replicas: ReplicaRegistry
  lastUsed: LastUsedRecorder
}): Credentials => {
  const { database, cookie, replicas, lastUsed } = options
  const cache = createCredentialCache(replicas)
  const listeners: ((revocationKey: string | null) => void)[] = []
  const notify = (revocationKey: string | null) => {
    for (const listener of listeners) listener(revocationKey)
  }
  const invalidate = (revocationKey: string) => {
    if (revocationKey.startsWith(ORGANIZATION_PREFIX)) {
      cache.deleteOrganization(revocationKey.slice(ORGANIZATION_PREFIX.length))
    } else cache.delete(revocationKey)
    notify(revocationKey)
  }

  return {
    presentsSession: (rawHeaders) => readPresented(rawHeaders, cookie)?.lookup === lookupSession,
    lookupCached(rawHeaders) {
      const presented = readPresented(rawHeaders, cookie)
      return presented === null ? unidentifiedCaller : cache.read(presented.tokenHash)
    },
    async identify(rawHeaders) {
      const presented = readPresented(rawHeaders, cookie)
      if (presented === null) return unidentifiedCaller
      const { tokenHash, lookup } = presented
      const query = () =>
        asLookup(database, (systemScope) => lookup(systemScope, tokenHash, lastUsed))
      return cache.read(tokenHash) ?? cache.load(tokenHash, query)
    },
    invalidate,
    onRevoked(listener) {
      listeners.push(listener)
    },
    listen: () =>
      database.listen(CHANNEL, invalidate, {
        // Drops the cache: revocations before the connection was established were missed.
        onListening: () => {
          cache.clear()
          notify(null)
        },
      }),
  }
}

interface PresentedCredential {
  tokenHash: string
  lookup: CredentialLookup
}

/**
 * Reads the presented credential. A key takes precedence over a session; several keys or a
 * malformed key make the caller anonymous.
 */
const readPresented = (
  rawHeaders: readonly string[],
  cookie: SessionCookie,
): PresentedCredential | null => {
  const authorizations = valuesOf(rawHeaders, 'authorization')
  const [authorization = ''] = authorizations
  if (authorizations.length > 1) return null
  if (/^bearer\b/i.test(authorization)) {
    const key = /^bearer (\S+)$/i.exec(authorization)?.[1] ?? ''
    return KEY_PATTERN.test(key) ? { tokenHash: hashToken(key), lookup: lookupKey } : null
  }
  const token = cookie.read(valuesOf(rawHeaders, 'cookie').join('; '))
  return token === null ? null : { tokenHash: hashToken(token), lookup: lookupSession }
}

type CredentialLookup = (
  systemScope: SystemScope,
  tokenHash: string,
  lastUsed: LastUsedRecorder,
) => Promise<IdentifiedCaller>

const lookupKey: CredentialLookup = async (systemScope, tokenHash, lastUsed) => {
  const key = await keyByHash(systemScope, tokenHash)
  if (key === null || key.disabledAt !== null) return unidentifiedCaller
  if (key.expiresAt !== null && key.expiresAt <= systemScope.now) return unidentifiedCaller
  lastUsed.keyUsed(key, systemScope.now)
  return {
    kind: 'key',
    caller: {
      organizationId: key.organizationId,
      actor: { type: 'api_key', userId: null, apiKeyId: key.id },
      grants: { kind: 'key', permissions: key.permissions },
    },
    rateKey: `key:${key.id}`,
    needsEnrolment: false,
    tokenHash,
    sessionHash: null,
    expiresAt: key.expiresAt,
    toRenew: null,
  }
}

const lookupSession: CredentialLookup = async (systemScope, tokenHash, lastUsed) => {
  const session = await sessionByHash(systemScope, tokenHash)
  if (session === null || !isSessionAlive(session, systemScope.now)) return unidentifiedCaller
  lastUsed.sessionUsed(session, systemScope.now)
  return {
    kind: 'session',
    caller: {
      organizationId: session.organizationId,
      actor: { type: 'user', userId: session.userId, apiKeyId: null },
      grants: { kind: 'session', rights: rightsOf(session) },
    },
    rateKey: `user:${session.userId}`,
    needsEnrolment: session.needsEnrolment,
    tokenHash,
    sessionHash: tokenHash,
    expiresAt: sessionExpiryOf(session),
    toRenew: session.shouldRenew ? tokenHash : null,
  }
}

const rightsOf = ({ role, customRights }: StoredSession): readonly string[] =>
  customRights ?? rightsOfRole(role as RoleName)

/** Values of a header from the raw list, because Node joins or drops repeated headers. */
const valuesOf = (rawHeaders: readonly string[], name: string): string[] => {
  const values: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const headerName = rawHeaders[at] ?? ''
    const isNamed = headerName.length === name.length && headerName.toLowerCase() === name
    if (isNamed) values.push(rawHeaders[at + 1] ?? '')
  }
  return values
}
