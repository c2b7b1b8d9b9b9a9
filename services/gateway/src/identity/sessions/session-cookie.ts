/** Session cookie: its name, attributes and limits. */
import { fastifyCookie } from '@fastify/cookie'

export const IDLE_LIMIT_MS = 12 * 3_600_000
export const ABSOLUTE_LIMIT_MS = 7 * 24 * 3_600_000
export const MAX_SESSIONS_PER_USER = 10

const TOKEN = /^[A-Za-z0-9_-]{43}$/

export interface SessionCookie {
  /** `__Host-` binds the cookie to this host and path, and needs https. */
  name: string
  read(header: string | undefined): string | null
  set(token: string): string
  clear(): string
}

export const sessionCookie = (baseUrl: string): SessionCookie => {
  const secure = new URL(baseUrl).protocol === 'https:'
  const name = secure ? '__Host-session' : 'session'
  const attributes = { httpOnly: true, secure, sameSite: 'lax', path: '/' } as const
  return {
    name,
    read(header) {
      const value = header === undefined ? undefined : fastifyCookie.parse(header)[name]
      return value !== undefined && TOKEN.test(value) ? value : null
    },
    set: (token) =>
      fastifyCookie.serialize(name, token, { ...attributes, maxAge: ABSOLUTE_LIMIT_MS / 1000 }),
    clear: () => fastifyCookie.serialize(name, '', { ...attributes, maxAge: 0 }),
  }
}

/** Returns whether the session is within its idle and absolute limits. */
export const isSessionAlive = (
  { createdAt, lastSeenAt }: { createdAt: Date; lastSeenAt: Date },
  now: Date,
): boolean => now < sessionExpiryOf({ createdAt, lastSeenAt })

/** Time at which the session ends without further use. */
export const sessionExpiryOf = ({
  createdAt,
  lastSeenAt,
}: {
  createdAt: Date
  lastSeenAt: Date
}): Date =>
  new Date(Math.min(lastSeenAt.getTime() + IDLE_LIMIT_MS, createdAt.getTime() + ABSOLUTE_LIMIT_MS))
