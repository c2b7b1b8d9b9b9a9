/** Entries without repetitions, since several documents of a page repeat open incidents. */
export const distinct = <Entry extends { sourceId: string }>(all: readonly Entry[]): Entry[] =>
  [...new Map(all.toReversed().map((entry) => [entry.sourceId, entry])).values()].toReversed()
