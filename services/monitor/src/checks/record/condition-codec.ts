/**
 * Stored form of condition results: JSON without field names, with codes for types and comparators.
 * With their names, the results would be a third of the row of a check.
 */
import type { Comparator, ConditionResult, ConditionType } from '@status-page/contracts'

/** Stored with each check: a code never changes its meaning. */
const typeCodes: Record<ConditionType, number> = {
  STATUS_CODE: 0,
  RESPONSE_TIME: 1,
  JSON_PATH: 2,
  HEADER: 3,
  BODY_CONTAINS: 4,
  BANNER: 5,
  CERTIFICATE_DAYS: 6,
  DNS_RECORD: 7,
  DOMAIN_DAYS: 8,
}
const comparatorCodes: Record<Comparator, number> = {
  EQUALS: 0,
  NOT_EQUALS: 1,
  GREATER_THAN: 2,
  LESS_THAN: 3,
  CONTAINS: 4,
  EXISTS: 5,
  NOT_EXISTS: 6,
}

type StoredResult = [
  typeCode: number,
  comparatorCode: number,
  target: string,
  actual: string | null,
  passed: 0 | 1,
]

export const encodeConditionResults = (results: readonly ConditionResult[]): string =>
  JSON.stringify(
    results.map(
      ({ type, comparator, target, actual, passed }): StoredResult => [
        typeCodes[type],
        comparatorCodes[comparator],
        target,
        actual,
        passed ? 1 : 0,
      ],
    ),
  )

export const decodeConditionResults = (text: string): ConditionResult[] =>
  (JSON.parse(text) as StoredResult[]).map(
    ([typeCode, comparatorCode, target, actual, passed]) => ({
      type: types[typeCode] as ConditionType,
      comparator: comparators[comparatorCode] as Comparator,
      target,
      actual,
      passed: passed === 1,
    }),
  )

const namesByCode = <Name extends string>(codes: Record<Name, number>): Name[] => {
  const names: Name[] = []
  for (const [name, code] of Object.entries<number>(codes)) names[code] = name as Name
  return names
}

const types = namesByCode(typeCodes)
const comparators = namesByCode(comparatorCodes)
