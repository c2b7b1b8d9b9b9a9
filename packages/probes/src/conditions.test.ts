/** Tables of conditions with their expected results. */
import {
  type Comparator,
  type Condition,
  type ConditionType,
  comparators,
  conditionTypes,
} from '@status-page/contracts'
import fc from 'fast-check'
import t from 'tap'
import { evaluate, type ProbeResponse } from './conditions.ts'

const document = {
  status: 'ok',
  count: 10,
  ratio: 1.5,
  big: 1e21,
  text: '10',
  on: true,
  none: null,
  items: [{ id: 7 }, { id: 'x' }],
  tags: ['a', 'b', 3],
  nested: { deep: { value: [1, [2, 3]] } },
  'queue size': 10,
  "it's": 'quoted',
  'back\\slash': 1,
  'a-b': 'dash',
  '': 'empty',
}

const response = {
  statusCode: 200,
  responseMs: 143,
  headers: { 'content-type': 'application/json; charset=utf-8', 'x-count': '12', empty: '' },
  body: Buffer.from(JSON.stringify(document)),
} satisfies ProbeResponse

/** Condition and its expected `passed` and `actual`. */
type Case = [ConditionType, Comparator, string, boolean, string | null]

const check = (t: { same: Tap['same'] }, cases: Case[], given: ProbeResponse = response) => {
  for (const [type, comparator, target, passed, actual] of cases) {
    const { results } = evaluate([{ type, comparator, target }], given)
    t.same(results, [{ type, comparator, target, actual, passed }], `${comparator} ${target}`)
  }
}
type Tap = typeof t

t.test('STATUS_CODE compares the number', async (t) => {
  check(t, [
    ['STATUS_CODE', 'EQUALS', '200', true, '200'],
    ['STATUS_CODE', 'EQUALS', '204', false, '200'],
    ['STATUS_CODE', 'NOT_EQUALS', '500', true, '200'],
    ['STATUS_CODE', 'NOT_EQUALS', '200', false, '200'],
    ['STATUS_CODE', 'GREATER_THAN', '199', true, '200'],
    ['STATUS_CODE', 'GREATER_THAN', '200', false, '200'],
    ['STATUS_CODE', 'LESS_THAN', '300', true, '200'],
    ['STATUS_CODE', 'LESS_THAN', '200', false, '200'],
  ])
})

t.test('RESPONSE_TIME is in milliseconds: LESS_THAN 500 means "must be below 500"', async (t) => {
  check(t, [
    ['RESPONSE_TIME', 'LESS_THAN', '500', true, '143'],
    ['RESPONSE_TIME', 'LESS_THAN', '143', false, '143'],
    ['RESPONSE_TIME', 'GREATER_THAN', '100', true, '143'],
    ['RESPONSE_TIME', 'EQUALS', '143', true, '143'],
    ['RESPONSE_TIME', 'NOT_EQUALS', '143', false, '143'],
  ])
})

t.test(
  'HEADER names match in any case, values exactly; blanks after the colon are dropped',
  async (t) => {
    check(t, [
      [
        'HEADER',
        'EQUALS',
        'Content-Type: application/json; charset=utf-8',
        true,
        response.headers['content-type'] ?? '',
      ],
      [
        'HEADER',
        'EQUALS',
        'content-type:application/json',
        false,
        response.headers['content-type'] ?? '',
      ],
      ['HEADER', 'CONTAINS', 'Content-Type: json', true, response.headers['content-type'] ?? ''],
      ['HEADER', 'CONTAINS', 'Content-Type: JSON', false, response.headers['content-type'] ?? ''],
      ['HEADER', 'NOT_EQUALS', 'X-Count: 13', true, '12'],
      ['HEADER', 'GREATER_THAN', 'X-Count: 9', true, '12'],
      ['HEADER', 'LESS_THAN', 'X-Count: 12.5', true, '12'],
      ['HEADER', 'GREATER_THAN', 'Content-Type: 1', false, response.headers['content-type'] ?? ''],
      ['HEADER', 'EXISTS', 'empty', true, ''],
      ['HEADER', 'NOT_EXISTS', 'empty', false, ''],
      ['HEADER', 'EXISTS', 'x-missing', false, null],
      ['HEADER', 'NOT_EXISTS', 'x-missing', true, null],
      ['HEADER', 'NOT_EQUALS', 'x-missing: 1', false, null],
      ['HEADER', 'LESS_THAN', 'x-missing: 1', false, null],
      ['HEADER', 'EXISTS', 'constructor', false, null],
    ])
  },
)

t.test(
  'JSON_PATH: strings as themselves, other values as compact JSON, numbers as numbers',
  async (t) => {
    check(t, [
      ['JSON_PATH', 'EQUALS', '$.status = ok', true, 'ok'],
      ['JSON_PATH', 'EQUALS', '$.status=ok', true, 'ok'],
      ['JSON_PATH', 'EQUALS', '$.status = "ok"', true, 'ok'],
      ['JSON_PATH', 'EQUALS', '$.status = OK', false, 'ok'],
      ['JSON_PATH', 'NOT_EQUALS', '$.status = down', true, 'ok'],
      ['JSON_PATH', 'EQUALS', '$.count = 10', true, '10'],
      ['JSON_PATH', 'EQUALS', '$.count = 10.0', true, '10'],
      ['JSON_PATH', 'EQUALS', '$.count = 1e1', true, '10'],
      ['JSON_PATH', 'EQUALS', '$.count = "10.0"', false, '10'],
      ['JSON_PATH', 'EQUALS', '$.text = 10', true, '10'],
      ['JSON_PATH', 'EQUALS', '$.text = 10.0', false, '10'],
      ['JSON_PATH', 'EQUALS', '$.on = true', true, 'true'],
      ['JSON_PATH', 'EQUALS', '$.none = null', true, 'null'],
      ['JSON_PATH', 'EQUALS', '$.items = [{"id":7},{"id":"x"}]', true, '[{"id":7},{"id":"x"}]'],
      ['JSON_PATH', 'EQUALS', '$.nested.deep.value[1][0] = 2', true, '2'],
    ])
  },
)

t.test('JSON_PATH: GREATER_THAN and LESS_THAN need numbers', async (t) => {
  check(t, [
    ['JSON_PATH', 'GREATER_THAN', '$.count = 9.5', true, '10'],
    ['JSON_PATH', 'LESS_THAN', '$.ratio = -2', false, '1.5'],
    ['JSON_PATH', 'GREATER_THAN', '$.big = 1e20', true, '1e+21'],
    ['JSON_PATH', 'GREATER_THAN', '$.text = 9', false, '10'],
    ['JSON_PATH', 'LESS_THAN', '$.none = 1', false, 'null'],
  ])
})

t.test('JSON_PATH: CONTAINS is a substring, or an equal element of an array', async (t) => {
  check(t, [
    ['JSON_PATH', 'CONTAINS', '$.status = k', true, 'ok'],
    ['JSON_PATH', 'CONTAINS', '$.tags = a', true, '["a","b",3]'],
    ['JSON_PATH', 'CONTAINS', '$.tags = 3.0', true, '["a","b",3]'],
    ['JSON_PATH', 'CONTAINS', '$.tags = "a"', true, '["a","b",3]'],
    ['JSON_PATH', 'CONTAINS', '$.tags = a,b', false, '["a","b",3]'],
    ['JSON_PATH', 'CONTAINS', '$.items[0] = id', true, '{"id":7}'],
  ])
})

t.test('JSON_PATH: every notation of a path', async (t) => {
  check(t, [
    ['JSON_PATH', 'EXISTS', '$', true, JSON.stringify(document).slice(0, 200)],
    ['JSON_PATH', 'EXISTS', '$.items[0].id', true, '7'],
    ['JSON_PATH', 'EXISTS', "$['items'][1]['id']", true, 'x'],
    ['JSON_PATH', 'EQUALS', "$['queue size'] = 10", true, '10'],
    ['JSON_PATH', 'EQUALS', "$['it\\'s'] = quoted", true, 'quoted'],
    ['JSON_PATH', 'EQUALS', "$['back\\\\slash'] = 1", true, '1'],
    ['JSON_PATH', 'EQUALS', '$.a-b = dash', true, 'dash'],
    ['JSON_PATH', 'EQUALS', "$[''] = empty", true, 'empty'],
  ])
})

t.test(
  'JSON_PATH: steps follow own properties only; what is missing fails all but NOT_EXISTS',
  async (t) => {
    check(t, [
      ['JSON_PATH', 'EXISTS', '$.none', true, 'null'],
      ['JSON_PATH', 'EXISTS', '$.none.more', false, null],
      ['JSON_PATH', 'EXISTS', '$.items[2]', false, null],
      ['JSON_PATH', 'EXISTS', '$.items.length', false, null],
      ['JSON_PATH', 'EXISTS', '$.constructor', false, null],
      ['JSON_PATH', 'EXISTS', '$.__proto__', false, null],
      ['JSON_PATH', 'EXISTS', '$.status[0]', false, null],
      ['JSON_PATH', 'EXISTS', '$[0]', false, null],
      ['JSON_PATH', 'NOT_EXISTS', '$.missing', true, null],
      ['JSON_PATH', 'NOT_EQUALS', '$.missing = 1', false, null],
    ])
    const html = { ...response, body: Buffer.from('<html>') }
    check(
      t,
      [
        ['JSON_PATH', 'NOT_EXISTS', '$.status', true, null],
        ['JSON_PATH', 'EXISTS', '$', false, null],
        ['JSON_PATH', 'NOT_EQUALS', '$.status = ok', false, null],
      ],
      html,
    )
  },
)

t.test('BODY_CONTAINS never quotes the body', async (t) => {
  const body = { ...response, body: Buffer.from('Everything is fine, café') }
  check(
    t,
    [
      ['BODY_CONTAINS', 'CONTAINS', 'is fine', true, null],
      ['BODY_CONTAINS', 'CONTAINS', 'café', true, null],
      ['BODY_CONTAINS', 'CONTAINS', 'IS FINE', false, null],
      ['BODY_CONTAINS', 'EXISTS', 'fine', true, null],
      ['BODY_CONTAINS', 'NOT_EQUALS', 'error', true, null],
      ['BODY_CONTAINS', 'NOT_EXISTS', 'fine', false, null],
      ['BODY_CONTAINS', 'EQUALS', 'Everything is fine, café', true, null],
      ['BODY_CONTAINS', 'EQUALS', 'Everything', false, null],
    ],
    body,
  )
})

t.test('a failed RESPONSE_TIME degrades, any other failed condition fails', async (t) => {
  const ok: Condition = { type: 'STATUS_CODE', comparator: 'EQUALS', target: '200' }
  const wrong: Condition = { type: 'STATUS_CODE', comparator: 'EQUALS', target: '201' }
  const slow: Condition = { type: 'RESPONSE_TIME', comparator: 'LESS_THAN', target: '100' }
  const of = (conditions: Condition[], statusCode = 200) =>
    evaluate(conditions, { ...response, statusCode }).verdict
  t.equal(of([ok]), 'SUCCESS', 'all hold')
  t.equal(of([ok, slow]), 'DEGRADED', 'only RESPONSE_TIME failed')
  t.equal(of([wrong, slow]), 'FAILURE', 'another one failed')
  const codes = [
    [199, false],
    [200, true],
    [204, true],
    [301, true],
    [399, true],
    [400, false],
    [503, false],
  ] as const
  for (const [statusCode, isFine] of codes) {
    t.equal(of([], statusCode), isFine ? 'SUCCESS' : 'FAILURE', `no conditions, ${statusCode}`)
  }
})

t.test('actual is truncated to 200 characters and never splits a character', async (t) => {
  const body = Buffer.from(JSON.stringify({ long: '😀'.repeat(300) }))
  const exists: Condition = { type: 'JSON_PATH', comparator: 'EXISTS', target: '$.long' }
  const { results } = evaluate([exists], { ...response, body })
  t.equal(results[0]?.actual, '😀'.repeat(200))
})

t.test(
  'no response makes an evaluation throw, and each yields one result per condition',
  async () => {
    const condition = fc.record({
      type: fc.constantFrom(...conditionTypes),
      comparator: fc.constantFrom(...comparators),
      target: fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('200', '$.a = 1', '$', 'a: b')),
    })
    const given = fc.record({
      statusCode: fc.integer({ min: 100, max: 599 }),
      responseMs: fc.nat(60_000),
      headers: fc.dictionary(fc.string(), fc.string()),
      body: fc.oneof(fc.json(), fc.string()).map((text) => Buffer.from(text)),
    })
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 20 }), given, (conditions, one) => {
        return evaluate(conditions, one).results.length === conditions.length
      }),
    )
    const deep = Buffer.from(`${'['.repeat(200_000)}1${']'.repeat(200_000)}`)
    evaluate([{ type: 'JSON_PATH', comparator: 'CONTAINS', target: '$ = 1' }], {
      ...response,
      body: deep,
    })
  },
)
