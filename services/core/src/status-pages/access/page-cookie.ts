/**
 * Cookie that proves the password of a page. Its MAC covers the page and the stored hash, so a new
 * password invalidates it; nothing is stored on the server.
 */
import { PAGE_COOKIE } from '@status-page/contracts'
import type { Authenticator } from '@status-page/secrets'
import type { PageForAccessCheck } from '../settings/store.ts'

const LIFETIME_SECONDS = 24 * 3_600
const SECOND_MS = 1_000

export interface PageCookie {
  /** Verifies a `cookie` header, from which the gateway removed other cookies. */
  isValid(header: unknown, page: PageForAccessCheck, now: Date): boolean
  /**
   * Returns one cookie for the page's data and one for the page itself, limited to their paths. On
   * a custom domain one cookie covers the whole domain.
   */
  set(page: PageForAccessCheck, now: Date, at: { slug: string; isOwnDomain: boolean }): string[]
}

type Deps = { authenticator: Authenticator; baseUrl: string }

export const createPageCookie = ({ authenticator, baseUrl }: Deps): PageCookie => {
  const isSecure = new URL(baseUrl).protocol === 'https:'
  return {
    isValid(header, page, now) {
      const [, expiresAt = '', mac = ''] = VALUE.exec(String(header ?? '')) ?? []
      if (Number(expiresAt) * SECOND_MS <= now.getTime()) return false
      return authenticator.isOwn(signedContent(page, expiresAt), mac)
    },
    set(page, now, { slug, isOwnDomain }) {
      const expiresAt = String(Math.floor(now.getTime() / SECOND_MS) + LIFETIME_SECONDS)
      const value = `${expiresAt}.${authenticator.mac(signedContent(page, expiresAt))}`
      const attributes = [
        `Max-Age=${LIFETIME_SECONDS}`,
        'HttpOnly',
        'SameSite=Lax',
        ...(isSecure ? ['Secure'] : []),
      ].join('; ')
      const paths = isOwnDomain ? ['/'] : [`/api/v1/public/status/${slug}`, `/status/${slug}`]
      return paths.map((path) => `${PAGE_COOKIE}=${value}; Path=${path}; ${attributes}`)
    },
  }
}

const VALUE = new RegExp(`^${PAGE_COOKIE}=(\\d{1,12})\\.([A-Za-z0-9_-]{43})$`)

/** Signed content as JSON, so that no part can extend into the next one. */
const signedContent = ({ id, passwordHash }: PageForAccessCheck, expiresAt: string): string =>
  JSON.stringify([PAGE_COOKIE, id, passwordHash, expiresAt])
