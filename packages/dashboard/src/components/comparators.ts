/** Comparators that each type of condition has; the contract defines them, a test compares both. */
import type { CheckCondition } from './draft.ts'

const ordered = ['EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN'] as const
const all = [...ordered, 'CONTAINS', 'EXISTS', 'NOT_EXISTS'] as const

export const comparatorsByType: Record<
  CheckCondition['type'],
  readonly CheckCondition['comparator'][]
> = {
  STATUS_CODE: ordered,
  RESPONSE_TIME: ordered,
  JSON_PATH: all,
  HEADER: all,
  BODY_CONTAINS: ['EQUALS', 'NOT_EQUALS', 'CONTAINS', 'EXISTS', 'NOT_EXISTS'],
}

/** Examples of expected values, in the grammar of the conditions. */
export const targetExamples: Record<CheckCondition['type'], string> = {
  STATUS_CODE: '200',
  RESPONSE_TIME: '500',
  JSON_PATH: '$.status = ok',
  HEADER: 'content-type: application/json',
  BODY_CONTAINS: 'ok',
}

/** Conditions on the existence of a value name only where it is. */
export const existenceExamples: Partial<Record<CheckCondition['type'], string>> = {
  JSON_PATH: '$.status',
  HEADER: 'content-type',
}
