/**
 * Map that evicts the least recently used keys. Two generations instead of one ordered map, whose
 * start must be searched among deleted entries: that cost tens of µs per request once the map was
 * full.
 */

export interface LruMap<Value> {
  readonly size: number
  /** Value of the key, created if absent; marks it as recently used. */
  getOrCreate(key: string, create: () => Value): Value
  /** Value of the key; does not mark it as used. */
  peek(key: string): Value | undefined
}

export const createLruMap = <Value>(maxKeys: number): LruMap<Value> => {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  return {
    get size() {
      return young.size + old.size
    },
    getOrCreate(key, create) {
      const known = young.get(key)
      if (known !== undefined) return known
      const value = old.get(key) ?? create()
      old.delete(key)
      if (young.size >= maxKeys / 2) {
        old = young
        young = new Map()
      }
      young.set(key, value)
      return value
    },
    peek: (key) => young.get(key) ?? old.get(key),
  }
}
