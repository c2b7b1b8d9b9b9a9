/** Large JSON texts have the value of `JSON.parse`, in short pieces. */
import fc from 'fast-check'
import t from 'tap'
import { parseJsonCooperatively, TooManyMembersError } from './cooperative-json-parser.ts'
import { runToEnd } from './run-cooperatively.ts'

const PIECES = [1, 3, 8, 4_096]

const outcomeOf = (read: () => unknown) => {
  try {
    return { value: read() }
  } catch (error) {
    return { isRefused: error instanceof SyntaxError }
  }
}

t.test('a text has the value of JSON.parse, whatever the pieces', async (t) => {
  const spaced = fc.tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t', '\n \r'))
  fc.assert(
    fc.property(spaced, fc.constantFrom(...PIECES), ([value, space], pieceCharacters) => {
      const text = JSON.stringify(value, null, space)
      t.same(runToEnd(parseJsonCooperatively(text, pieceCharacters)), JSON.parse(text))
    }),
  )
  for (const pieceCharacters of PIECES) {
    const text = '{"\\ud83d\\ude00😀\\n\\"\\\\":[{"a":1,"a":2}],"__proto__":{"b":[]},"":-1.5e-3}'
    const value = runToEnd(parseJsonCooperatively(text, pieceCharacters))
    t.same(value, JSON.parse(text))
    t.equal(Object.getPrototypeOf(value), Object.prototype)
    t.equal(JSON.stringify(value), JSON.stringify(JSON.parse(text)), 'in the same order')
  }
})

t.test('a text is rejected where JSON.parse rejects it, whatever the pieces', async (t) => {
  const characters = fc.constantFrom(...'[]{},:"\\ u01-.etrf\n\u00a0\u0001')
  const broken = fc.tuple(fc.jsonValue(), fc.nat(), characters).map(([value, at, character]) => {
    const text = JSON.stringify(value)
    const position = at % (text.length + 1)
    return text.slice(0, position) + character + text.slice(position + (at % 2))
  })
  const texts = fc.oneof(broken, fc.string({ unit: characters, maxLength: 12 }))
  const same = (text: string, pieceCharacters: number) => {
    const outcome = outcomeOf(() => runToEnd(parseJsonCooperatively(text, pieceCharacters)))
    t.same(
      outcome,
      outcomeOf(() => JSON.parse(text)),
      JSON.stringify(text),
    )
  }
  fc.assert(fc.property(texts, fc.constantFrom(...PIECES), same), { numRuns: 500 })
  for (const text of ['', ' ', '"', '"\\', '"abc\\u00', '[1,]', '{"a"}', '{1:2}', '[1}', '1 2']) {
    for (const pieceCharacters of PIECES) same(text, pieceCharacters)
  }
})

t.test('no piece of a large text is long, whatever its shape', async (t) => {
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`)
  const shapes = {
    'a long text': `"${'\\n'.repeat(500_000)}"`,
    'different keys': `[${keys(100_000).map((member) => `{${member}}`)}]`,
    'large objects': `[${Array.from({ length: 10 }, () => `{${keys(9_000)}}`)}]`,
    'white space': `[${' '.repeat(1_000_000)}1]`,
    numbers: `[${'1.25,'.repeat(200_000)}1]`,
  }
  const parse = JSON.parse
  t.teardown(() => {
    JSON.parse = parse
  })
  for (const [name, text] of Object.entries(shapes)) {
    const lengths: number[] = []
    JSON.parse = (piece: string) => {
      lengths.push(piece.length)
      return parse(piece)
    }
    const work = parseJsonCooperatively(text)
    let steps = 1
    let step = work.next()
    const perStep: number[] = []
    while (!step.done) {
      perStep.push(lengths.splice(0).reduce((sum, length) => sum + length, 0))
      steps += 1
      step = work.next()
    }
    JSON.parse = parse
    t.same(step.value, parse(text), name)
    t.ok(Math.max(...perStep, ...lengths) <= 3 * 4_096, `${name}: pieces of a step`)
    if (name !== 'white space') t.ok(steps > text.length / (4 * 4_096), `${name}: ${steps} steps`)
  }
})

t.test('an object with more than 10,000 keys is rejected', async (t) => {
  const members = Array.from({ length: 10_001 }, (_, index) => `"k${index}":1`)
  t.throws(() => runToEnd(parseJsonCooperatively(`{${members}}`)), new TooManyMembersError())
  t.same(
    Object.keys(runToEnd(parseJsonCooperatively(`{${members.slice(1)}}`)) as object).length,
    10_000,
  )
})
