/**
 * Who is asking: a bearer key, else the session cookie, else nobody. Answers are cached for at most
 * a second and dropped by NOTIFY; what is cached is never the truth.
 */
import { type RoleName, rightsOfRole } from '@status-page/contracts'
import { asLookup, type Database, type Scope, type SystemScope } from '@status-page/postgres'
import { hashToken } from '@status-page/secrets'
import { anonymousCaller, type Caller } from '@status-page/service'
import { sql } from 'drizzle-orm'
import { keyByHash } from '../api-keys/store.ts'
import { KEY_PATTERN } from '../api-keys/token.ts'
import type { CredentialKind } from './cross-site.ts'
import { CACHE_MS, type Presence } from './presence.ts'
import { isAlive, type SessionCookie } from './session-cookie.ts'
import { type StoredSession, sessionByHash } from './session-store.ts'
import type { UseMarks } from './use-marks.ts'

export interface Identified {
  kind: CredentialKind
  caller: Caller
  /** What the caller's rate buckets count by; null for nobody. */
  rateKey: string | null
  /** A session that may do nothing but enrol a second factor. */
  needsEnrolment: boolean
  /** Hash of the session's token; null for a key and for nobody. */
  sessionHash: string | null
  /** Hash of a session's token that the next answer replaces. */
  toRenew: string | null
}

export const nobody: Identified = Object.freeze({
  kind: 'none',
  caller: anonymousCaller,
  rateKey: null,
  needsEnrolment: false,
  sessionHash: null,
  toRenew: null,
})

export interface Credentials {
  /** Who is known without asking the database; null when it must be asked. */
  lookupCached(rawHeaders: readonly string[]): Identified | null
  identify(rawHeaders: readonly string[]): Promise<Identified>
  /** Drops what is cached here of a token, or of an organization; others hear it by NOTIFY. */
  forget(mark: string): void
  /**
   * Calls back for each revocation, of this and of other replicas: the hash of a token or the mark of an
   * organization; null where revocations may have been missed.
   */
  onRevoked(listener: (mark: string | null) => void): void
  /** Hears the revocations of all replicas from now on. */
  listen(): Promise<{ close(): Promise<void> }>
}

const CHANNEL = 'gateway_credentials'
const MAX_CACHED = 10_000

const ORGANIZATION_MARK = 'organization:'

/** Stands for every key and session of the organization; no hash of a token looks like it. */
export const organizationMark = (organizationId: string): string =>
  `${ORGANIZATION_MARK}${organizationId}`

/** In the transaction that revokes: every replica drops what the marks stand for when it commits. */
export const announceRevoked = async (
  { tx }: Scope | SystemScope,
  marks: readonly string[],
): Promise<void> => {
  for (const mark of marks) await tx.execute(sql`SELECT pg_notify(${CHANNEL}, ${mark})`)
}

export const createCredentials = (options: {
  database: Database
  cookie: SessionCookie
  presence: Presence
  marks: UseMarks
}): Credentials => {
  const { database, cookie, presence, marks } = options
  const cache = new Map<string, { identified: Identified; untilMs: number }>()
  /** Revocations so far: a lookup that was under way during one is not cached. */
  let revocations = 0
  const listeners: ((mark: string | null) => void)[] = []
  const notify = (mark: string | null) => {
    for (const listener of listeners) listener(mark)
  }
  const forget = (mark: string) => {
    revocations++
    notify(mark)
    if (!mark.startsWith(ORGANIZATION_MARK)) {
      cache.delete(mark)
      return
    }
    const organizationId = mark.slice(ORGANIZATION_MARK.length)
    for (const [tokenHash, { identified }] of cache) {
      if (identified.caller.organizationId === organizationId) cache.delete(tokenHash)
    }
  }

  const remembered = (tokenHash: string): Identified | null => {
    const cached = cache.get(tokenHash)
    const counts = cached !== undefined && cached.untilMs > performance.now() && presence.mayCache()
    return counts ? cached.identified : null
  }

  const resolve = async ({ tokenHash, look }: Presented): Promise<Identified> => {
    const askedMs = performance.now()
    const before = revocations
    const identified = await asLookup(database, (systemScope) =>
      look(systemScope, tokenHash, marks),
    )
    if (identified.kind !== 'none' && before === revocations) {
      const [oldest] = cache.keys()
      if (cache.size >= MAX_CACHED && oldest !== undefined) cache.delete(oldest)
      cache.set(tokenHash, { identified, untilMs: askedMs + CACHE_MS })
    }
    return identified
  }

  return {
    lookupCached(rawHeaders) {
      const presented = presentedIn(rawHeaders, cookie)
      return presented === null ? nobody : remembered(presented.tokenHash)
    },
    async identify(rawHeaders) {
      const presented = presentedIn(rawHeaders, cookie)
      if (presented === null) return nobody
      return remembered(presented.tokenHash) ?? resolve(presented)
    },
    forget,
    onRevoked(listener) {
      listeners.push(listener)
    },
    listen: () =>
      database.listen(CHANNEL, forget, {
        // What was revoked while nobody listened was missed.
        onListening: () => {
          revocations++
          cache.clear()
          notify(null)
        },
      }),
  }
}

interface Presented {
  tokenHash: string
  look: Look
}

/** A key goes before a session; two keys, or one that cannot be one, are nobody's. */
const presentedIn = (rawHeaders: readonly string[], cookie: SessionCookie): Presented | null => {
  const authorizations = valuesOf(rawHeaders, 'authorization')
  const [authorization = ''] = authorizations
  if (authorizations.length > 1) return null
  if (/^bearer\b/i.test(authorization)) {
    const key = /^bearer (\S+)$/i.exec(authorization)?.[1] ?? ''
    return KEY_PATTERN.test(key) ? { tokenHash: hashToken(key), look: lookForKey } : null
  }
  const token = cookie.read(valuesOf(rawHeaders, 'cookie').join('; '))
  return token === null ? null : { tokenHash: hashToken(token), look: lookForSession }
}

type Look = (systemScope: SystemScope, tokenHash: string, marks: UseMarks) => Promise<Identified>

const lookForKey: Look = async (systemScope, tokenHash, marks) => {
  const key = await keyByHash(systemScope, tokenHash)
  if (key === null || key.disabledAt !== null) return nobody
  if (key.expiresAt !== null && key.expiresAt <= systemScope.now) return nobody
  marks.keyUsed(key, systemScope.now)
  return {
    kind: 'key',
    caller: {
      organizationId: key.organizationId,
      actor: { type: 'api_key', userId: null, apiKeyId: key.id },
      grants: { kind: 'key', permissions: key.permissions },
    },
    rateKey: `key:${key.id}`,
    needsEnrolment: false,
    sessionHash: null,
    toRenew: null,
  }
}

const lookForSession: Look = async (systemScope, tokenHash, marks) => {
  const session = await sessionByHash(systemScope, tokenHash)
  if (session === null || !isAlive(session, systemScope.now)) return nobody
  marks.sessionUsed(session, systemScope.now)
  return {
    kind: 'session',
    caller: {
      organizationId: session.organizationId,
      actor: { type: 'user', userId: session.userId, apiKeyId: null },
      grants: { kind: 'session', rights: rightsOf(session) },
    },
    rateKey: `user:${session.userId}`,
    needsEnrolment: session.needsEnrolment,
    sessionHash: tokenHash,
    toRenew: session.renew ? tokenHash : null,
  }
}

const rightsOf = ({ role, customRights }: StoredSession): readonly string[] =>
  customRights ?? rightsOfRole(role as RoleName)

/** Node joins or drops repeated headers; the raw list tells. */
const valuesOf = (rawHeaders: readonly string[], name: string): string[] =>
  rawHeaders.filter(
    (_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  )
