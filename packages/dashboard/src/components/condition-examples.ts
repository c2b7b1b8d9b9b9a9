/** Conditions that the editor of a check proposes. */
import type { CheckCondition } from './check-kinds.ts'

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
  DOMAIN_DAYS: '30',
}

/** Comparators of new conditions; `EQUALS` of the other types. */
const newComparators: Partial<Record<CheckCondition['type'], CheckCondition['comparator']>> = {
  RESPONSE_TIME: 'LESS_THAN',
  BANNER: 'CONTAINS',
  CERTIFICATE_DAYS: 'GREATER_THAN',
  DOMAIN_DAYS: 'GREATER_THAN',
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
