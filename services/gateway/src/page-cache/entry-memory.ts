/**
 * Cache entries in memory, least recently used first out. Images have a limit of their own, and
 * each organization a share of the pages: one with many or large entries evicts its own.
 */
import { LRUCache } from 'lru-cache'
import type { CacheEntry } from './cache-entry.ts'

const MIB = 1024 * 1024
/** They also limit the number of entries, each of which has at least the size of its headers. */
const MAX_BYTES = { pages: 96 * MIB, images: 32 * MIB }
const MAX_PAGE_BYTES_PER_ORGANIZATION = 48 * MIB
/** Factor for ready-to-write and compressed bodies, and size of the headers; estimates. */
const OVERHEAD = 2.5
const HEADER_BYTES = 4_096

const sizeOf = ({ body: { bytes, encoding } }: CacheEntry): number =>
  Math.ceil(bytes.length * (encoding === 'identity' ? OVERHEAD : 1)) + HEADER_BYTES

/** Entries of an organization by key, the oldest first, and their size. */
interface Share {
  keys: Set<string>
  bytes: number
}

export class EntryMemory {
  readonly #shares = new Map<string, Share>()
  readonly #pages = new LRUCache<string, CacheEntry>({
    maxSize: MAX_BYTES.pages,
    sizeCalculation: sizeOf,
    dispose: (entry, key) => this.#leaveShare(key, entry),
  })
  readonly #images = new LRUCache<string, CacheEntry>({
    maxSize: MAX_BYTES.images,
    sizeCalculation: sizeOf,
  })

  get(key: string): CacheEntry | undefined {
    return this.#pages.get(key) ?? this.#images.get(key)
  }

  set(key: string, entry: CacheEntry): void {
    const isImage = entry.headers['content-type']?.startsWith('image/') ?? false
    const [entries, others] = isImage ? [this.#images, this.#pages] : [this.#pages, this.#images]
    others.delete(key)
    if (entries.get(key) === entry) return
    entries.set(key, entry)
    if (entries === this.#pages && entries.has(key)) this.#enterShare(key, entry)
  }

  delete(key: string): void {
    this.#pages.delete(key)
    this.#images.delete(key)
  }

  deleteWhere(isMatch: (entry: CacheEntry) => boolean): void {
    for (const entries of [this.#pages, this.#images]) {
      for (const [key, entry] of entries.entries()) {
        if (isMatch(entry)) entries.delete(key)
      }
    }
  }

  isEmpty(): boolean {
    return this.#pages.size === 0
  }

  /** Evicts the oldest other pages of the organization beyond its share. */
  #enterShare(key: string, entry: CacheEntry): void {
    const share = this.#shares.get(entry.organizationId) ?? { keys: new Set(), bytes: 0 }
    this.#shares.set(entry.organizationId, share)
    share.keys.add(key)
    share.bytes += sizeOf(entry)
    for (const oldest of share.keys) {
      if (share.bytes <= MAX_PAGE_BYTES_PER_ORGANIZATION || oldest === key) return
      this.#pages.delete(oldest)
    }
  }

  #leaveShare(key: string, entry: CacheEntry): void {
    const share = this.#shares.get(entry.organizationId)
    if (share === undefined) return
    share.keys.delete(key)
    share.bytes -= sizeOf(entry)
    if (share.keys.size === 0) this.#shares.delete(entry.organizationId)
  }
}
