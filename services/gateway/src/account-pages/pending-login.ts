/**
 * Cookie between the two steps of a login: address and password, encrypted and valid for five
 * minutes. The second step verifies both again together with the code, so that the rules and limits
 * of the login apply to it, and no session exists before.
 */
import { fastifyCookie } from '@fastify/cookie'
import { SealError, type Sealer } from '@status-page/secrets'

const LIFETIME_SECONDS = 300
const SECOND_MS = 1_000

const context = {
  organizationId: 'none',
  purpose: 'pending-login',
  recordId: 'cookie',
} as const

export interface Login {
  email: string
  password: string
}

export interface PendingLogin {
  /** Returns null without a cookie, and for one that is expired or altered. */
  read(header: string | undefined): Login | null
  set(login: Login): string
  clear(): string
}

export const createPendingLogin = ({
  baseUrl,
  sealer,
  nowMs = Date.now,
}: {
  baseUrl: string
  sealer: Sealer
  nowMs?: () => number
}): PendingLogin => {
  const secure = new URL(baseUrl).protocol === 'https:'
  const name = secure ? '__Host-login' : 'login'
  const attributes = { httpOnly: true, secure, sameSite: 'lax', path: '/' } as const
  return {
    read(header) {
      const value = header === undefined ? undefined : fastifyCookie.parse(header)[name]
      if (value === undefined) return null
      try {
        const { email, password, untilMs } = JSON.parse(sealer.open(value, context))
        return untilMs > nowMs() ? { email, password } : null
      } catch (error) {
        if (error instanceof SealError) return null
        throw error
      }
    },
    set(login) {
      const untilMs = nowMs() + LIFETIME_SECONDS * SECOND_MS
      const sealed = sealer.seal(JSON.stringify({ ...login, untilMs }), context)
      return fastifyCookie.serialize(name, sealed, { ...attributes, maxAge: LIFETIME_SECONDS })
    },
    clear: () => fastifyCookie.serialize(name, '', { ...attributes, maxAge: 0 }),
  }
}
