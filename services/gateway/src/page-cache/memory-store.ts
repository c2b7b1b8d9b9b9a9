/** Memory store of public responses; the least recently used entry is evicted first. */
import type { CacheEntry } from './cache-entry.ts'

const MAX_BYTES = 64 * 1024 * 1024
const MAX_ENTRIES = 10_000
/** Factor for compressed variants and headers, an estimate. */
const OVERHEAD = 1.5

export interface MemoryStore {
  get(key: string): CacheEntry | undefined
  set(key: string, entry: CacheEntry): void
  /** Deletes the entries that match; returns their keys. */
  deleteWhere(isMatch: (entry: CacheEntry) => boolean): string[]
  delete(key: string): void
}

export const createMemoryStore = (maxBytes = MAX_BYTES): MemoryStore => {
  const entries = new Map<string, CacheEntry>()
  let bytes = 0
  const sizeOf = ({ body }: CacheEntry) => body.length * OVERHEAD
  const remove = (key: string) => {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    bytes -= sizeOf(entry)
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry
    },
    set(key, entry) {
      remove(key)
      entries.set(key, entry)
      bytes += sizeOf(entry)
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes && entries.size <= MAX_ENTRIES) break
        remove(oldest)
      }
    },
    delete: remove,
    deleteWhere(isMatch) {
      const keys = [...entries].flatMap(([key, entry]) => (isMatch(entry) ? [key] : []))
      for (const key of keys) remove(key)
      return keys
    },
  }
}
