/** Validates the time range of a list: `from` must not be after `to`. */
import { comparisonIssue, invalid } from '@status-page/contracts'

export const checkTimeRange = ({ from, to }: { from?: string; to?: string }): void => {
  if (from === undefined || to === undefined || from <= to) return
  throw invalid(comparisonIssue('from', 'notAfter', 'to'))
}
