/** Public answers in memory, the least recently used forgotten first. */
import type { CacheEntry } from './cache-entry.ts'

const MAX_BYTES = 64 * 1024 * 1024
const MAX_ANSWERS = 10_000
/** Packed forms and headers, about. */
const OVERHEAD = 1.5

export interface Memory {
  get(key: string): CacheEntry | undefined
  set(key: string, kept: CacheEntry): void
  /** Keys of the answers that the choice takes. */
  forget(isOver: (kept: CacheEntry) => boolean): string[]
  delete(key: string): void
}

export const createMemory = (maxBytes = MAX_BYTES): Memory => {
  const answers = new Map<string, CacheEntry>()
  let bytes = 0
  const sizeOf = ({ body }: CacheEntry) => body.length * OVERHEAD
  const remove = (key: string) => {
    const kept = answers.get(key)
    if (kept === undefined) return
    answers.delete(key)
    bytes -= sizeOf(kept)
  }
  return {
    get(key) {
      const kept = answers.get(key)
      if (kept === undefined) return undefined
      answers.delete(key)
      answers.set(key, kept)
      return kept
    },
    set(key, kept) {
      remove(key)
      answers.set(key, kept)
      bytes += sizeOf(kept)
      for (const oldest of answers.keys()) {
        if (bytes <= maxBytes && answers.size <= MAX_ANSWERS) break
        remove(oldest)
      }
    },
    delete: remove,
    forget(isOver) {
      const keys = [...answers].flatMap(([key, kept]) => (isOver(kept) ? [key] : []))
      for (const key of keys) remove(key)
      return keys
    },
  }
}
