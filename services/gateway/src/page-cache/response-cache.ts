/** Ways to ask for what is kept, by all that an answer depends on, the oldest forgotten first. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Operation } from '@status-page/contracts'
import type { CustomDomainTarget } from '../custom-domains/custom-domains.ts'
import type { soleCounter } from '../limits/buckets.ts'
import type { CacheEntry } from './cache-entry.ts'

/** Each holds some headers, and its bytes when these are kept no longer. */
const MAX_WAYS = 2_000
const MAX_WAY_BYTES = 64 * 1024 * 1024
export const MAX_WAY_LENGTH = 2_048

/** What was said in full. */
export interface Said {
  key: string
  kept: CacheEntry
  /** As they were sent, packed or not. */
  body: Buffer
  tag: string
  operation: Operation
  /** Those that a whole answer has beside the others. */
  ofWhole: Readonly<Record<string, string>>
}

export interface CachedResponse {
  said: Said
  /** As it is written at once. */
  body: Buffer | string
  /** Weak where the body is packed; most who have the answer send it back as it is. */
  sentEtag: string
  counterOf: NonNullable<ReturnType<typeof soleCounter>>
  /** Names and values in turns, as `writeHead` takes them. */
  whole: readonly string[]
  notModified: readonly string[]
}

export class ResponseCache {
  readonly #ways = new Map<string, CachedResponse>()
  #bytes = 0

  get(name: string): CachedResponse | undefined {
    return this.#ways.get(name)
  }

  set(name: string, way: CachedResponse) {
    this.#delete(name)
    this.#ways.set(name, way)
    this.#bytes += bytesOf(way)
    for (const oldest of this.#ways.keys()) {
      if (this.#ways.size <= MAX_WAYS && this.#bytes <= MAX_WAY_BYTES) break
      this.#delete(oldest)
    }
  }

  #delete(name: string) {
    const way = this.#ways.get(name)
    if (way === undefined) return
    this.#ways.delete(name)
    this.#bytes -= bytesOf(way)
  }
}

const bytesOf = ({ body, said }: CachedResponse): number => {
  const own = said.body === said.kept.body ? 0 : said.body.length
  return said.kept.body.length + own + (body === said.body ? 0 : body.length)
}

/** Of neither a URL nor a header. */
const SEPARATOR = '\n'

/** All of a request on which a kept answer depends; the URL is as it was sent. */
export const nameOf = (
  url: string,
  place: CustomDomainTarget | null,
  headers: IncomingHttpHeaders,
): string => {
  const where = place === null ? SEPARATOR : place.domain + SEPARATOR + place.slug
  const asked = (headers.accept ?? '') + SEPARATOR + (headers['accept-encoding'] ?? '')
  return url + SEPARATOR + where + SEPARATOR + asked
}
