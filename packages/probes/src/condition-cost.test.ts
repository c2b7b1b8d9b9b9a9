/** Evaluation of any valid conditions against any response stays within a budget of steps. */
import type { Comparator, Condition, ConditionType } from '@status-page/contracts'
import { StepBudget, StepBudgetError } from '@status-page/outbound'
import { measureProcessorTime } from '@status-page/testing'
import fc from 'fast-check'
import t from 'tap'
import { evaluate, type ProbeResponse } from './conditions.ts'
import { jsonText } from './json-text.ts'
import { containsText } from './substring.ts'

const MIB = 1024 * 1024
const CONDITIONS = 20
/**
 * Bound for one evaluation. Without the step budget the first two cases took 5 to 7 s of processor
 * time.
 */
const MAX_PROCESSOR_MS = 2_000

const answerOf = (body: string): ProbeResponse => ({
  statusCode: 200,
  responseMs: 10,
  headers: { long: `${'a'.repeat(16_000)}b` },
  body: Buffer.from(body).subarray(0, MIB),
})

const twenty = (type: ConditionType, comparator: Comparator, target: (index: number) => string) =>
  Array.from(
    { length: CONDITIONS },
    (_, index): Condition => ({
      type,
      comparator,
      target: target(index),
    }),
  )

const a = (length: number) => 'a'.repeat(length)
const filled = (part: string) => part.repeat(Math.floor((MIB - 4) / part.length))
const listOf = (part: string) => `[${filled(`${part},`)}1]`
/** Texts with the highest cost of a pattern search in V8. */
const worstPart = (index: number) => `${a(10 + index)}b${a(450)}`

const cases: [name: string, conditions: Condition[], body: string][] = [
  ['elements', twenty('JSON_PATH', 'CONTAINS', (at) => `$ = x${at}`), listOf('1')],
  ['body', twenty('BODY_CONTAINS', 'CONTAINS', worstPart), a(MIB)],
  ['text', twenty('JSON_PATH', 'CONTAINS', (at) => `$ = ${worstPart(at)}`), `"${a(MIB - 2)}"`],
  ['objects', twenty('JSON_PATH', 'CONTAINS', (at) => `$ = [${at}]`), listOf('[7]')],
  ['compact', twenty('JSON_PATH', 'EQUALS', (at) => `$ = [${at}]`), listOf('"x"')],
  [
    'properties',
    twenty('JSON_PATH', 'CONTAINS', (at) => `$.p = ${at}`),
    `{"p":{"q":${listOf('1')}}}`,
  ],
  ['nested', twenty('JSON_PATH', 'EXISTS', () => '$'), '['.repeat(MIB)],
  ['header', twenty('HEADER', 'CONTAINS', (at) => `long: ${worstPart(at)}`), ''],
]

for (const [name, conditions, body] of cases) {
  t.test(`conditions do not block the event loop: ${name}`, async (t) => {
    const response = answerOf(body)
    const { processorMs, result } = measureProcessorTime(() => evaluate(conditions, response))
    t.ok(processorMs < MAX_PROCESSOR_MS, `${processorMs} ms`)
    const { verdict, error } = result
    t.equal(verdict, error === null && name === 'nested' ? 'SUCCESS' : 'FAILURE')
  })
}

t.test('a response that exceeds the evaluation budget has its own error', async (t) => {
  const keys = Array.from({ length: 80_000 }, (_, index) => `{"${index.toString(36)}":1}`)
  const given: [conditions: Condition[], body: string][] = [
    [twenty('BODY_CONTAINS', 'CONTAINS', worstPart), a(MIB)],
    [[{ type: 'JSON_PATH', comparator: 'EXISTS', target: '$' }], `[${keys.join()}]`],
    [[{ type: 'JSON_PATH', comparator: 'EXISTS', target: '$' }], '['.repeat(1000)],
  ]
  for (const [conditions, body] of given) {
    t.same(evaluate(conditions, answerOf(body)), {
      verdict: 'FAILURE',
      results: [],
      error: 'too_complex',
    })
  }
})

t.test('twenty conditions on a typical response of 1 MiB are evaluated', async (t) => {
  const rows = Array.from({ length: 6000 }, (_, index) => ({
    id: index,
    name: `component ${index}`,
    status: index % 2 ? 'operational' : 'down',
    url: `https://example.com/${index}`,
    latency: index / 2,
    ok: true,
    tags: ['a', 'b'],
  }))
  const json = JSON.stringify(rows)
  t.ok(json.length > 0.7 * MIB && json.length < MIB)
  const conditions: Condition[] = [
    ...twenty('JSON_PATH', 'EQUALS', (at) => `$[${5000 + at}].id = ${5000 + at}`).slice(10),
    ...twenty('JSON_PATH', 'CONTAINS', () => '$[3].tags = b').slice(10),
  ]
  t.match(evaluate(conditions, answerOf(json)), { verdict: 'SUCCESS', error: null })
  const html = `<!doctype html>${'<p class="x">Everything is fine.</p>\n'.repeat(10_000)}The end`
  const parts = twenty('BODY_CONTAINS', 'CONTAINS', () => 'The end')
  t.match(evaluate(parts, answerOf(html)), { verdict: 'SUCCESS', error: null })
})

t.test('an array is traversed once for any number of conditions', async (t) => {
  const body = listOf('"0123456789abcdef"')
  const conditions = twenty('JSON_PATH', 'CONTAINS', (at) => `$ = missing-${at}`)
  const { results, error } = evaluate(conditions, answerOf(body))
  t.equal(error, null)
  t.equal(results.length, CONDITIONS)
})

t.test('a search finds what String.includes finds, in steps linear in the text', async (t) => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 300 })
  const part = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 12 })
  fc.assert(
    fc.property(letters, part, (text, wanted) => {
      const found = containsText(text, wanted, new StepBudget(100_000))
      return found === text.includes(wanted)
    }),
  )
  const steps = 100 * MIB
  for (const [text, wanted] of [
    [a(MIB), worstPart(0)],
    [`${a(500)}b`.repeat(2000), `b${a(511)}`],
    ['ab'.repeat(MIB / 2), `aa${'ab'.repeat(255)}`],
  ] as const) {
    const budget = new StepBudget(steps)
    t.notOk(containsText(text, wanted, budget))
    t.ok(steps - budget.left < 3 * text.length, `${steps - budget.left} steps`)
  }
})

t.test('a compact text is a prefix of the text of JSON.stringify', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(60), (value, length) => {
      const text = jsonText(value, length, new StepBudget(1_000_000))
      return text === JSON.stringify(value).slice(0, length)
    }),
  )
})

t.test(
  'the cost of a compact text depends on its length, not on the size of the value',
  async (t) => {
    const value = Array.from({ length: 500_000 }, () => 'x')
    const budget = new StepBudget(100_000)
    t.equal(jsonText(value, 10, budget), '["x","x","')
    t.throws(() => jsonText(value, Number.MAX_SAFE_INTEGER, budget), StepBudgetError)
  },
)
