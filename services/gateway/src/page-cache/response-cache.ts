/** Cache of ready-to-write responses by variant; the oldest is evicted first. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Operation } from '@status-page/contracts'
import type { CustomDomainTarget } from '../custom-domains/custom-domains.ts'
import type { singleSyncedCounter } from '../limits/buckets.ts'
import type { CacheEntry } from './cache-entry.ts'

/** Maximum number of responses; each holds headers, and the body where no cache entry shares it. */
const MAX_RESPONSES = 2_000
const MAX_BYTES = 64 * 1024 * 1024
export const MAX_KEY_LENGTH = 2_048

/** Response that the normal path has sent. */
export interface WritableResponse {
  key: string
  entry: CacheEntry
  /** Bytes as they were sent, compressed or not. */
  body: Buffer
  etag: string
  operation: Operation
  /** Headers of a 200 response that a 304 response lacks. */
  bodyHeaders: Readonly<Record<string, string>>
}

export interface CachedResponse {
  stored: WritableResponse
  /** Body as it is written to the socket. */
  body: Buffer | string
  /**
   * Etag as it was sent: weak where the body is compressed. Most clients send it back unchanged.
   */
  sentEtag: string
  counterOf: NonNullable<ReturnType<typeof singleSyncedCounter>>
  /** Alternating names and values, as `writeHead` takes them. */
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

/** Character that neither a URL nor a header contains. */
const SEPARATOR = '\n'

/**
 * Key of a variant: everything in a request that selects a cached response (`Vary` of HTTP). The
 * URL is the one that was sent.
 */
export const variantKey = (
  url: string,
  target: CustomDomainTarget | null,
  headers: IncomingHttpHeaders,
): string => {
  const domainPart = target === null ? SEPARATOR : target.domain + SEPARATOR + target.slug
  const negotiation = (headers.accept ?? '') + SEPARATOR + (headers['accept-encoding'] ?? '')
  return url + SEPARATOR + domainPart + SEPARATOR + negotiation
}
