/** Comparison of times. */

export const earliest = (...times: readonly Date[]): Date =>
  times.reduce((first, time) => new Date(Math.min(first.getTime(), time.getTime())))

export const latest = (...times: readonly Date[]): Date =>
  times.reduce((last, time) => new Date(Math.max(last.getTime(), time.getTime())))
