/**
 * JSON of untrusted hosts: the same values as JSON.parse, or a named error before the cost is
 * incurred.
 */
import fc from 'fast-check'
import t from 'tap'
import { parseUntrustedJson, StepBudget, StepBudgetError } from './index.ts'

const STEPS = 8_000_000
const parse = (text: string) => parseUntrustedJson(text, new StepBudget(STEPS))

t.test('a text within the budget is parsed as JSON.parse does', async (t) => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      return JSON.stringify(parse(text)) === JSON.stringify(JSON.parse(text))
    }),
  )
  const broken = ['', '<html>', '{', '{"a":}', '"', '"\\', 'nul', '[1,]', 'undefined', ']', '}}']
  for (const text of broken) t.equal(parse(text), undefined, text)
  t.same(parse(' \n[{"a": "b\\"c:"}]'), [{ a: 'b"c:' }])
})

t.test('a text that JSON.parse would parse slowly is rejected before it is parsed', async (t) => {
  const numbers = Array.from({ length: 100_000 }, (_, index) => index.toString(36))
  const costly: [name: string, text: string][] = [
    ['an object with many properties', `{${numbers.map((one) => `"${one}":1`).join()}}`],
    ['objects with a property of their own', `[${numbers.map((one) => `{"${one}":1}`).join()}]`],
    ['short texts', `[${numbers.map((one) => `"${one}"`).join()}]`],
    ['empty objects', `[${numbers.map(() => '{},{}').join()}]`],
    ['nesting', `${'['.repeat(501)}${']'.repeat(501)}`],
  ]
  for (const [name, text] of costly) t.throws(() => parse(text), StepBudgetError, name)
  t.ok(parse(`${'['.repeat(500)}${']'.repeat(500)}`))
  const usual = numbers.slice(0, 20_000).map((name) => ({ name: `component ${name}`, isUp: true }))
  t.ok(parse(JSON.stringify(usual)))
})
