/** The life of a session: a new token for each login, the old one gone before the new one counts. */
import type { Actor } from '@status-page/contracts'
import { change, crossLookup, type Database, type Scope } from '@status-page/postgres'
import { hashToken, randomToken } from '@status-page/secrets'
import type { Call } from '@status-page/service'
import { announceRevoked, type Credentials } from './credentials.ts'
import type { Presence } from './presence.ts'
import { aboutAccount } from './rules.ts'
import { MAX_SESSIONS_PER_USER, type SessionCookie } from './session-cookie.ts'
import { deleteSession, endOtherSessions, insertSession, sessionByHash } from './store.ts'

export interface SessionOptions {
  database: Database
  cookie: SessionCookie
  credentials: Credentials
  presence: Presence
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

/** Makes room for one more and ends what the browser carried; other replicas hear it at once. */
export const endEarlier = async (
  userId: string,
  presented: string | null,
  { database, credentials }: SessionOptions,
): Promise<void> => {
  const ended = await crossLookup(database, async (crossing) => {
    const keep = MAX_SESSIONS_PER_USER - 1
    const hashes = await endOtherSessions(crossing, { userId, presented, keep })
    await announceRevoked(crossing, hashes)
    return hashes
  })
  for (const tokenHash of ended) credentials.forget(tokenHash)
}

/** In the change that begins the session; the cookie is set once the change has committed. */
export const beginSession = async (scope: Scope, userId: string): Promise<string> => {
  const token = randomToken()
  await insertSession(scope, { userId, tokenHash: hashToken(token) })
  return token
}

/** Without a session there is nothing to end, and nothing wrong. */
export const endSession = async (call: Call, options: SessionOptions): Promise<void> => {
  const { database, credentials, presence } = options
  const tokenHash = presentedHash(call, options)
  if (tokenHash === null) return
  const session = await crossLookup(database, (crossing) => sessionByHash(crossing, tokenHash))
  if (session === null) return
  const { organizationId, userId: id, email } = session
  await change(database, { organizationId, actor: asUser(call, id) }, async (scope) => {
    const isEnded = await deleteSession(scope, tokenHash)
    await announceRevoked(scope, [tokenHash])
    const audit = isEnded ? [aboutAccount('auth.logout', { id, email })] : []
    return { result: null, events: [], audit }
  })
  credentials.forget(tokenHash)
  await presence.outlastCaches()
}
