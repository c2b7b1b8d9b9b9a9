/** Conditions that are rejected when they are stored. */
import t from 'tap'
import {
  type Condition,
  comparators,
  comparatorsOf,
  conditionTypes,
  parseCondition,
} from './conditions.ts'

t.test('invalid pairs of type and comparator and invalid targets are rejected', async (t) => {
  for (const type of conditionTypes) {
    for (const comparator of comparators.filter((one) => !comparatorsOf[type].includes(one))) {
      t.match(parseCondition({ type, comparator, target: '200' }), {
        ok: false,
        field: 'comparator',
      })
    }
  }
  const targets: [Condition['type'], Condition['comparator'], string][] = [
    ['STATUS_CODE', 'EQUALS', '99'],
    ['STATUS_CODE', 'EQUALS', '600'],
    ['STATUS_CODE', 'EQUALS', '2xx'],
    ['STATUS_CODE', 'EQUALS', '200.0'],
    ['RESPONSE_TIME', 'LESS_THAN', '60001'],
    ['RESPONSE_TIME', 'LESS_THAN', '-1'],
    ['HEADER', 'GREATER_THAN', 'x-count: many'],
    ['HEADER', 'LESS_THAN', 'x-count:'],
    ['JSON_PATH', 'GREATER_THAN', '$.a = many'],
    ['JSON_PATH', 'LESS_THAN', '$.a = "1"'],
    ['JSON_PATH', 'LESS_THAN', '$.a = 1e999'],
    ['HEADER', 'EQUALS', 'no colon'],
    ['HEADER', 'EQUALS', 'bad name: x'],
    ['HEADER', 'EXISTS', 'name: value'],
    ['JSON_PATH', 'EQUALS', '$.a'],
    ['JSON_PATH', 'EQUALS', '$.a ='],
    ['JSON_PATH', 'EQUALS', '$.a = "open'],
    ['JSON_PATH', 'EQUALS', '$.a = "ok" then'],
    ['JSON_PATH', 'EXISTS', '$.a = 1'],
    ['JSON_PATH', 'EXISTS', 'a.b'],
    ['JSON_PATH', 'EXISTS', '$..a'],
    ['JSON_PATH', 'EXISTS', '$.a[*]'],
    ['JSON_PATH', 'EXISTS', '$.a[-1]'],
    ['JSON_PATH', 'EXISTS', '$.a[1:2]'],
    ['JSON_PATH', 'EXISTS', '$.a[100000]'],
    ['JSON_PATH', 'EXISTS', '$.1a'],
    ['JSON_PATH', 'EXISTS', '$["a"]'],
    ['JSON_PATH', 'EXISTS', `$${'.a'.repeat(33)}`],
  ]
  for (const [type, comparator, target] of targets) {
    t.match(parseCondition({ type, comparator, target }), { ok: false, field: 'target' }, target)
  }
  t.ok(
    parseCondition({ type: 'JSON_PATH', comparator: 'EXISTS', target: `$${'.a'.repeat(32)}` }).ok,
  )
})
