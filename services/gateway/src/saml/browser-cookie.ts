/**
 * Binds a login to the browser that began it. The provider's POST is cross-site, where a Lax cookie
 * would not arrive; None needs Secure, and so single sign-on needs https.
 */
import { fastifyCookie } from '@fastify/cookie'

const NAME = '__Host-saml'
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** How long somebody may take at the provider. */
export const REQUEST_LIFETIME_MS = 10 * 60_000

export const readBrowserToken = (header: string | undefined): string | null => {
  const value = header === undefined ? undefined : fastifyCookie.parse(header)[NAME]
  return value !== undefined && TOKEN.test(value) ? value : null
}

export const browserCookie = (token: string): string =>
  fastifyCookie.serialize(NAME, token, {
    httpOnly: true,
    secure: true,
    sameSite: 'none',
    path: '/',
    maxAge: REQUEST_LIFETIME_MS / 1_000,
  })
