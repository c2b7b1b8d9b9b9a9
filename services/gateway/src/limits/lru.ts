/**
 * A map that forgets what was not used for longest. Two generations instead of one ordered map, whose
 * start must be searched among deleted entries: that cost tens of µs a request once it was full.
 */

export interface Recent<Value> {
  readonly size: number
  /** The value of the key, made if there is none; now among the young. */
  use(key: string, make: () => Value): Value
  /** Without making the key any younger. */
  peek(key: string): Value | undefined
}

export const createRecent = <Value>(maxKeys: number): Recent<Value> => {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  return {
    get size() {
      return young.size + old.size
    },
    use(key, make) {
      const known = young.get(key)
      if (known !== undefined) return known
      const value = old.get(key) ?? make()
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
