/** Long computations a few milliseconds at a time: wherever they yield, other requests may come in between. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Sliced } from '@status-page/contracts'

const SLICE_MS = 10

export const inSlices = async <Result>(work: Sliced<Result>): Promise<Result> => {
  for (;;) {
    const until = performance.now() + SLICE_MS
    do {
      const step = work.next()
      if (step.done) return step.value
    } while (performance.now() < until)
    await nextTurn()
  }
}

/** Without a pause: for what is known to be small. */
export const atOnce = <Result>(work: Sliced<Result>): Result => {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** As `Array.map`, with a pause after each entry. */
export function* mapInSlices<Entry, Result>(
  entries: readonly Entry[],
  resultOf: (entry: Entry, index: number) => Result,
): Sliced<Result[]> {
  const results: Result[] = []
  for (const [index, entry] of entries.entries()) {
    results.push(resultOf(entry, index))
    yield
  }
  return results
}
