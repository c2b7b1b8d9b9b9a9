/** Entries without repetitions, since several documents of a page repeat open incidents. */
export const distinct = <One extends { sourceId: string }>(all: readonly One[]): One[] =>
  [...new Map(all.toReversed().map((one) => [one.sourceId, one])).values()].toReversed()
