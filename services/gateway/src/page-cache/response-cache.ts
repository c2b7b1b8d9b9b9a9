/** Ways to ask for what is kept, by all that an answer depends on, the oldest forgotten first. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Operation } from '@status-page/contracts'
import type { CustomDomainTarget } from '../custom-domains/custom-domains.ts'
import type { singleSyncedCounter } from '../limits/buckets.ts'
import type { CacheEntry } from './cache-entry.ts'

/** Each holds some headers, and its bytes when these are kept no longer. */
const MAX_RESPONSES = 2_000
const MAX_BYTES = 64 * 1024 * 1024
export const MAX_KEY_LENGTH = 2_048

/** What was said in full. */
export interface StoredResponse {
  key: string
  entry: CacheEntry
  /** As they were sent, packed or not. */
  body: Buffer
  etag: string
  operation: Operation
  /** Those that a whole answer has beside the others. */
  bodyHeaders: Readonly<Record<string, string>>
}

export interface CachedResponse {
  stored: StoredResponse
  /** As it is written at once. */
  body: Buffer | string
  /** Weak where the body is packed; most who have the answer send it back as it is. */
  sentEtag: string
  counterOf: NonNullable<ReturnType<typeof singleSyncedCounter>>
  /** Names and values in turns, as `writeHead` takes them. */
  okHeaders: readonly string[]
  notModifiedHeaders: readonly string[]
}

export class ResponseCache {
  readonly #responses = new Map<string, CachedResponse>()
  #bytes = 0

  get(key: string): CachedResponse | undefined {
    return this.#responses.get(key)
  }

  set(key: string, response: CachedResponse) {
    this.#delete(key)
    this.#responses.set(key, response)
    this.#bytes += bytesOf(response)
    for (const oldest of this.#responses.keys()) {
      if (this.#responses.size <= MAX_RESPONSES && this.#bytes <= MAX_BYTES) break
      this.#delete(oldest)
    }
  }

  #delete(key: string) {
    const response = this.#responses.get(key)
    if (response === undefined) return
    this.#responses.delete(key)
    this.#bytes -= bytesOf(response)
  }
}

const bytesOf = ({ body, stored }: CachedResponse): number => {
  const encodedBytes = stored.body === stored.entry.body ? 0 : stored.body.length
  return stored.entry.body.length + encodedBytes + (body === stored.body ? 0 : body.length)
}

/** Of neither a URL nor a header. */
const SEPARATOR = '\n'

/** All of a request on which a kept answer depends; the URL is as it was sent. */
export const variantKey = (
  url: string,
  target: CustomDomainTarget | null,
  headers: IncomingHttpHeaders,
): string => {
  const domainPart = target === null ? SEPARATOR : target.domain + SEPARATOR + target.slug
  const negotiation = (headers.accept ?? '') + SEPARATOR + (headers['accept-encoding'] ?? '')
  return url + SEPARATOR + domainPart + SEPARATOR + negotiation
}
