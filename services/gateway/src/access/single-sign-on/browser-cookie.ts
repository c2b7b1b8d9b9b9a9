/**
 * Cookie that binds a login to the browser that started it. The provider's POST is a cross-site
 * request, which carries only SameSite=None cookies; None requires Secure, so single sign-on
 * requires https.
 */
import { fastifyCookie } from '@fastify/cookie'

const NAME = '__Host-saml'
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** Maximum time that the login at the provider may take. */
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
