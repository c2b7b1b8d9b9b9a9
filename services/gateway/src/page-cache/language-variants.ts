/**
 * Variants of cached pages by language. A page in several languages has at most one entry per
 * locale, whatever the headers of its visitors; its own language has the key of the page itself.
 */
import { visitorLocale } from '@status-page/html'
import { entryLimit } from '@status-page/service'
import { LRUCache } from 'lru-cache'
import type { CacheEntry } from './cache-entry.ts'

/** Maximum number of pages whose locales are known while the page's own entry is not cached. */
const MAX_PAGES = 10_000

/** Request for an entry; `Accept-Language` selects the variant of a page in several languages. */
export interface VariantRequest {
  key: string
  acceptLanguage?: string | undefined
}

export class LanguageVariants {
  readonly #locales = new LRUCache<string, NonNullable<CacheEntry['locales']>>(
    entryLimit(MAX_PAGES),
  )

  /** Key of the variant; `pageEntry` is the cached entry of the page's own language. */
  keyOf({ key, acceptLanguage }: VariantRequest, pageEntry: CacheEntry | undefined): string {
    const locales = pageEntry === undefined ? this.#locales.get(key) : pageEntry.locales
    if (locales === undefined) return key
    return languageKey(key, locales, visitorLocale(acceptLanguage, locales))
  }

  /** Stores the locales of the page, or that it has one language. */
  setLocales(key: string, locales: CacheEntry['locales']) {
    if (locales === undefined) this.#locales.delete(key)
    else this.#locales.set(key, locales)
  }
}

/** Key under which an entry is stored: the one of its language. */
export const entryKey = (key: string, { locales, headers }: CacheEntry): string =>
  locales === undefined ? key : languageKey(key, locales, headers['content-language'])

/** A key ends with a bracket, so that no variant has the key of another page. */
const languageKey = (
  key: string,
  [pageLocale]: readonly string[],
  locale: string | undefined,
): string => (locale === undefined || locale === pageLocale ? key : key + locale)
