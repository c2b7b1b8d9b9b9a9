/** The stored form of condition results loses nothing, and stays readable. */
import { comparators, conditionTypes } from '@status-page/contracts'
import t from 'tap'
import { decodeConditionResults, encodeConditionResults } from './condition-codec.ts'

t.test('every type and comparator is read as it was stored', async (t) => {
  const results = conditionTypes.flatMap((type) =>
    comparators.map((comparator) => ({
      type,
      comparator,
      target: '"quoted"\n',
      actual: comparator === 'EXISTS' ? null : 'é\0',
      passed: comparator === 'EQUALS',
    })),
  )
  t.same(decodeConditionResults(encodeConditionResults(results)), results)
})

t.test('codes of stored results have the meaning that they were stored with', async (t) => {
  t.same(decodeConditionResults('[[0,0,"200","200",1],[8,6,"",null,0]]'), [
    { type: 'STATUS_CODE', comparator: 'EQUALS', target: '200', actual: '200', passed: true },
    { type: 'DOMAIN_DAYS', comparator: 'NOT_EXISTS', target: '', actual: null, passed: false },
  ])
})
