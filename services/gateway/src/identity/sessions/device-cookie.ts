/**
 * Device cookie of a browser in which an account has logged in before. Failed logins of such a
 * browser are counted separately, so that guesses of strangers cannot lock the owner out. The
 * cookie grants no access.
 */
import { createHmac } from 'node:crypto'
import { fastifyCookie } from '@fastify/cookie'
import { equalInConstantTime, randomToken } from '@status-page/secrets'

const LIFETIME_SECONDS = 180 * 24 * 3_600
const ID_BYTES = 16
const VALUE = /^([A-Za-z0-9_-]{22})\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/

export interface DeviceCookie {
  /** Returns the id of the device when its cookie was issued for the account; null otherwise. */
  read(header: string | undefined, email: string): string | null
  set(email: string): string
}

export const deviceCookie = (options: {
  baseUrl: string
  secret: string
  nowSeconds?: () => number
}): DeviceCookie => {
  const { baseUrl, secret, nowSeconds = () => Math.floor(Date.now() / 1000) } = options
  const secure = new URL(baseUrl).protocol === 'https:'
  const name = secure ? '__Host-device' : 'device'
  const sign = (id: string, expiresAt: string, email: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['device', id, expiresAt, email]))
      .digest('base64url')
  return {
    read(header, email) {
      const value = header === undefined ? undefined : fastifyCookie.parse(header)[name]
      const [, id, expiresAt, signature] = VALUE.exec(value ?? '') ?? []
      if (id === undefined || expiresAt === undefined || signature === undefined) return null
      if (Number(expiresAt) <= nowSeconds()) return null
      return equalInConstantTime(signature, sign(id, expiresAt, email)) ? id : null
    },
    set(email) {
      const id = randomToken(ID_BYTES)
      const expiresAt = String(nowSeconds() + LIFETIME_SECONDS)
      return fastifyCookie.serialize(name, [id, expiresAt, sign(id, expiresAt, email)].join('.'), {
        httpOnly: true,
        secure,
        sameSite: 'lax',
        path: '/',
        maxAge: LIFETIME_SECONDS,
      })
    },
  }
}
