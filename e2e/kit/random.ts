/** Reproducible random numbers: a seed determines a run. */

const UINT32 = 2 ** 32

export interface SeededRandom {
  seed: number
  /** Integer from 0 to below `limit`. */
  below(limit: number): number
  pick<T>(values: readonly T[]): T
  /** At most `count` of the values, each at most once. */
  some<T>(values: readonly T[], count: number): T[]
}

/** Creates a generator; FUZZ_SEED repeats a run. */
export const createRandom = (
  seed = Number(process.env.FUZZ_SEED ?? Date.now() % UINT32),
): SeededRandom => {
  let state = seed >>> 0
  // Algorithm: mulberry32.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / UINT32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    seed,
    below,
    pick: (values) => values[below(values.length)] as (typeof values)[number],
    some(values, count) {
      const remaining = [...values]
      const taken = Array.from({ length: Math.min(count, remaining.length) }, () =>
        remaining.splice(below(remaining.length), 1),
      )
      return taken.flat()
    },
  }
}
