/**
 * Requests whose cached response is known, by everything in them that selects it (`Vary` of HTTP).
 * They are found by their URL, then by comparison: joining and hashing a key of URL and headers
 * takes a microsecond for each request, more than all other lookups of the fast path.
 */
import { entryLimit } from '@status-page/service'
import { LRUCache } from 'lru-cache'
import type { CustomDomainTarget } from '../custom-domains/custom-domains.ts'

/** Maximum number of URLs. */
const MAX_URLS = 5_000
/** Maximum number of requests of one URL; the newest remain. */
const MAX_REQUESTS_PER_URL = 16

/** Parts of a request that select its response. */
export interface RequestSelector {
  /** URL as it was sent. */
  url: string
  target: CustomDomainTarget | null
  accept: string | undefined
  acceptEncoding: string | undefined
}

export class KnownRequests<Known extends RequestSelector> {
  readonly #byUrl = new LRUCache<string, Known[]>(entryLimit(MAX_URLS))

  find(selector: RequestSelector): Known | undefined {
    const { accept, acceptEncoding } = selector
    for (const known of this.#byUrl.get(urlKeyOf(selector)) ?? []) {
      if (known.accept === accept && known.acceptEncoding === acceptEncoding) return known
    }
    return undefined
  }

  /** Adds a request, or replaces it. */
  set(known: Known): void {
    const { accept, acceptEncoding } = known
    const urlKey = urlKeyOf(known)
    const others = (this.#byUrl.get(urlKey) ?? []).filter(
      (other) => other.accept !== accept || other.acceptEncoding !== acceptEncoding,
    )
    this.#byUrl.set(urlKey, [known, ...others].slice(0, MAX_REQUESTS_PER_URL))
  }
}

/** Character that neither a URL nor a header contains. */
const SEPARATOR = '\n'

/** Key of the URL with the custom domain, because pages of several domains may share a URL. */
const urlKeyOf = ({ url, target }: Pick<RequestSelector, 'url' | 'target'>): string =>
  target === null ? url : url + SEPARATOR + target.domain + SEPARATOR + target.slug

/** Characters that the parts occupy. */
export const selectorLength = (selector: RequestSelector): number =>
  urlKeyOf(selector).length +
  (selector.accept?.length ?? 0) +
  (selector.acceptEncoding?.length ?? 0)
