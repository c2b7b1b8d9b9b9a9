/** Processes many items: a failing item delays no other, and errors are reported at the end. */

/** Number of items of which `work` returned true; stops before the next item once aborted. */
export const settleEach = async <Item>(
  signal: AbortSignal,
  items: Iterable<Item>,
  work: (item: Item) => Promise<boolean>,
): Promise<number> => {
  const failures: unknown[] = []
  let done = 0
  for (const item of items) {
    if (signal.aborted) break
    try {
      if (await work(item)) done++
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return done
}
