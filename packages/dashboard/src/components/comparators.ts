/** Comparators that each type of condition has; the contract defines them, a test compares both. */
import type { CheckCondition } from './check-kinds.ts'

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
  BANNER: ['EQUALS', 'NOT_EQUALS', 'CONTAINS'],
  CERTIFICATE_DAYS: ordered,
  DNS_RECORD: ['EQUALS', 'NOT_EQUALS', 'CONTAINS'],
}

/** Examples of expected values, in the grammar of the conditions. */
export const targetExamples: Record<CheckCondition['type'], string> = {
  STATUS_CODE: '200',
  RESPONSE_TIME: '500',
  JSON_PATH: '$.status = ok',
  HEADER: 'content-type: application/json',
  BODY_CONTAINS: 'ok',
  BANNER: 'SSH-2.0',
  CERTIFICATE_DAYS: '14',
  DNS_RECORD: '192.0.2.1',
}

/** Comparators of new conditions; `EQUALS` of the other types. */
const newComparators: Partial<Record<CheckCondition['type'], CheckCondition['comparator']>> = {
  RESPONSE_TIME: 'LESS_THAN',
  BANNER: 'CONTAINS',
  CERTIFICATE_DAYS: 'GREATER_THAN',
}

export const newConditionOf = (type: CheckCondition['type']): CheckCondition => ({
  type,
  comparator: newComparators[type] ?? 'EQUALS',
  target: targetExamples[type],
})

/** Conditions on the existence of a value name only where it is. */
export const existenceExamples: Partial<Record<CheckCondition['type'], string>> = {
  JSON_PATH: '$.status',
  HEADER: 'content-type',
}
