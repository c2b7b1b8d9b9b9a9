/** Array operations over many thousands of entries, with a pause after each 1,000. */
import type { Cooperative } from '@status-page/contracts'

/** Entries between two pauses: 50,000 status changes take 100 ms. */
export const STEP_ENTRIES = 1_000

/** Returns what `Array.flatMap` returns. */
export function* flatMapInSteps<Entry, Result>(
  entries: readonly Entry[],
  resultsOf: (entry: Entry, index: number) => readonly Result[],
): Cooperative<Result[]> {
  const results: Result[] = []
  for (const [index, entry] of entries.entries()) {
    if (index % STEP_ENTRIES === 0) yield
    for (const result of resultsOf(entry, index)) results.push(result)
  }
  return results
}

type Compare<Entry> = (left: Entry, right: Entry) => number

/** Returns what `Array.toSorted` returns: sorts parts of 1,000 entries, and merges them. */
export function* sortInSteps<Entry>(
  entries: readonly Entry[],
  compare: Compare<Entry>,
): Cooperative<Entry[]> {
  let parts: Entry[][] = []
  for (let start = 0; start < entries.length; start += STEP_ENTRIES) {
    parts.push(entries.slice(start, start + STEP_ENTRIES).sort(compare))
    yield
  }
  while (parts.length > 1) {
    const merged: Entry[][] = []
    for (let index = 0; index < parts.length; index += 2) {
      merged.push(yield* merge(parts[index] ?? [], parts[index + 1] ?? [], compare))
    }
    parts = merged
  }
  return parts[0] ?? []
}

function* merge<Entry>(
  left: Entry[],
  right: Entry[],
  compare: Compare<Entry>,
): Cooperative<Entry[]> {
  yield
  const [end, start] = [left.at(-1), right[0]]
  // Histories are in order, and a copy of 100,000 entries takes 2 ms.
  if (end === undefined || start === undefined || compare(end, start) <= 0)
    return left.concat(right)
  const result: Entry[] = []
  const total = left.length + right.length
  let taken = 0
  while (result.length < total) {
    if (result.length % STEP_ENTRIES === 0) yield
    const next = result.length - taken
    const isRight =
      taken === left.length ||
      (next < right.length && compare(left[taken] as Entry, right[next] as Entry) > 0)
    result.push((isRight ? right[next] : left[taken]) as Entry)
    if (!isRight) taken++
  }
  return result
}
