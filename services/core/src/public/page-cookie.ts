/**
 * The cookie that says: its bearer has shown the password of this page. It is bound to the page and to
 * the stored hash, so that another password ends it; nothing of it is stored.
 */
import { PAGE_COOKIE } from '@status-page/contracts'
import type { Authenticator } from '@status-page/secrets'
import type { GatedPage } from '../status-pages/store.ts'

const LIFETIME_SECONDS = 24 * 3_600
const SECOND_MS = 1_000

export interface PageCookie {
  /** Of a `cookie` header in which the gateway has left nothing else. */
  isShown(header: unknown, page: GatedPage, now: Date): boolean
  /**
   * One for the page's data and one for the page itself; no other path gets either. A domain that is
   * the page's own is the page, all of it.
   */
  set(page: GatedPage, now: Date, at: { slug: string; isOwnDomain: boolean }): string[]
}

type Deps = { authenticator: Authenticator; baseUrl: string }

export const pageCookie = ({ authenticator, baseUrl }: Deps): PageCookie => {
  const isSecure = new URL(baseUrl).protocol === 'https:'
  return {
    isShown(header, page, now) {
      const [, expiresAt = '', mac = ''] = VALUE.exec(String(header ?? '')) ?? []
      if (Number(expiresAt) * SECOND_MS <= now.getTime()) return false
      return authenticator.isOwn(statementOf(page, expiresAt), mac)
    },
    set(page, now, { slug, isOwnDomain }) {
      const expiresAt = String(Math.floor(now.getTime() / SECOND_MS) + LIFETIME_SECONDS)
      const value = `${expiresAt}.${authenticator.mac(statementOf(page, expiresAt))}`
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

/** JSON, because no part can then reach into its neighbour. */
const statementOf = ({ id, passwordHash }: GatedPage, expiresAt: string): string =>
  JSON.stringify([PAGE_COOKIE, id, passwordHash, expiresAt])
