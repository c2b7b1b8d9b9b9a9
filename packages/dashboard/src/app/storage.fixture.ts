/** Storage of the browser for tests that run in Node. */

/** Storage as browsers have it; `null` is a browser without storage. */
export const installStorage = (entries: Map<string, string> | null) => {
  const storage = entries && {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => entries.set(key, value),
    removeItem: (key: string) => entries.delete(key),
    key: (index: number) => [...entries.keys()][index] ?? null,
    get length() {
      return entries.size
    },
  }
  Object.defineProperty(globalThis, 'localStorage', { value: storage, configurable: true })
}
