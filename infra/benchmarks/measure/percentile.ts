/** Percentiles of measured values. */

/** Minimum number of values above a percentile, so that single outliers do not decide it. */
const MIN_VALUES_ABOVE = 10

/**
 * Value below which `share` of the values lie; NaN for fewer values than the share needs, such as
 * 200 for p95 and 1,000 for p99.
 */
export const percentile = (values: readonly number[], share: number): number =>
  values.length < Math.round(MIN_VALUES_ABOVE / (1 - share)) ? Number.NaN : rank(values, share)

/** Median of any number of values, such as those of few rounds. */
export const median = (values: readonly number[]): number => rank(values, 0.5)

const rank = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
