/** Issues of rules that JSON Schema does not express; the rule is the keyword of the issue. */
import type { Issue } from './error.ts'

/** End of the message by rule; the field whose value is the limit follows a comparison. */
const rules = {
  exists: 'does not exist',
  distinct: 'is listed twice',
  future: 'must be in the future',
  notFuture: 'must not be in the future',
  after: 'must be after',
  notAfter: 'must not be after',
  notGreater: 'must not be greater than',
} as const

type Comparison = 'after' | 'notAfter' | 'notGreater'

export const ruleIssue = (
  field: string,
  keyword: Exclude<keyof typeof rules, Comparison>,
): Issue => ({
  field,
  message: `${field} ${rules[keyword]}`,
  keyword,
})

export const comparisonIssue = (field: string, keyword: Comparison, limitField: string): Issue => ({
  field,
  message: `${field} ${rules[keyword]} ${limitField}`,
  keyword,
  limitField,
})

/** Rules of issues, for the documentation of the keyword. */
export const ruleKeywords = Object.keys(rules)
