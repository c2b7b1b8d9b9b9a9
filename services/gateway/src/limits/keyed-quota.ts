/** Number of units in use at the same time, by key. */
export class KeyedQuota {
  readonly #limit: number
  readonly #used = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  isFull(key: string): boolean {
    return (this.#used.get(key) ?? 0) >= this.#limit
  }

  /** Takes a unit even where the quota is full; the returned function gives it back, once. */
  take(key: string): () => void {
    this.#used.set(key, (this.#used.get(key) ?? 0) + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      const left = (this.#used.get(key) ?? 0) - 1
      if (left > 0) this.#used.set(key, left)
      else this.#used.delete(key)
    }
  }
}
