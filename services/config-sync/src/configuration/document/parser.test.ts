/**
 * Parsing of untrusted text: correct values, rejected with a position, and harmless to the service.
 */
import t from 'tap'
import { createParsers } from './parser.ts'
import { readYaml } from './yaml-reading.ts'

const parserOf = createParsers()
const parser = parserOf('acme')

t.test('ambiguous YAML is rejected with line and column', (t) => {
  const cases: [string, number, number, RegExp][] = [
    ['a: &x 1\nb: *x\n', 2, 4, /Aliases/],
    ['a: 1\nb: !!str 2\n', 2, 10, /Tags/],
    ['a: !!binary aGk=\n', 1, 13, /Tags/],
    ['a: !secret x\n', 1, 12, /Tags/],
    ['a: 1\na: 2\n', 2, 1, /duplicated/],
    ['a:\n  <<: {}\n', 2, 3, /Merge keys/],
    ['__proto__: 1\n', 1, 1, /not allowed/],
    ['a: {constructor: 1}\n', 1, 5, /not allowed/],
    ['%YAML 1.1\n---\na: yes\n', 1, 1, /Directives/],
    ['a: 1\n---\nb: 2\n', 2, 1, /multiple docs/],
    ['a: .inf\n', 1, 4, /out of range/],
    ['a: 12345678901234567890\n', 1, 4, /out of range/],
    ['a: "\\0"\n', 1, 4, /^The text contains the character U\+0000$/],
    [`a: ${'['.repeat(25)}${']'.repeat(25)}\n`, 1, 23, /deeper/],
    ['a: [\n', 2, 1, /cannot be parsed/],
    ['? [a]\n: 1\n', 1, 3, /cannot be parsed/],
  ]
  for (const [text, line, column, message] of cases) {
    const reading = readYaml(text)
    if (reading.ok) t.fail(text)
    else t.match(reading.problems[0], { line, column, message }, text)
  }
  t.end()
})

t.test('YAML 1.2 core schema: no is a text, 1e3 is a number', (t) => {
  const reading = readYaml('a: no\nb: 1e3\nc: 2026-08-01\nd: ~\ne: "5"\nf: 0x1F\n')
  const value = { a: 'no', b: 1000, c: '2026-08-01', d: null, e: '5', f: 31 }
  t.same(reading, { ok: true, value })
  t.end()
})

t.test('a document of too many nodes or a map of too many keys is rejected', (t) => {
  const reading = readYaml(`a: [${'1,'.repeat(50_001)}]`)
  t.match(reading, { ok: false, problems: [{ message: /more than 50000 nodes/ }] })
  const keys = Array.from({ length: 1_001 }, (_, index) => `  k${index}: 1\n`)
  const problems = [{ line: 2, column: 3, message: /1000 keys/ }]
  t.match(readYaml(`a:\n${keys.join('')}`), { ok: false, problems })
  t.end()
})

t.test('hostile text does not block the service', async (t) => {
  let beats = 0
  const heart = setInterval(() => beats++, 20)
  t.teardown(() => clearInterval(heart))
  const hostile = ['? '.repeat(900), '['.repeat(100_000), `a: ${'{a: '.repeat(20_000)}`]
  for (const text of hostile) {
    const refused = await parser.read(text).then(
      (reading) => !reading.ok,
      (error: { status?: number }) => error.status === 400,
    )
    t.ok(refused, text.slice(0, 8))
  }
  t.ok(beats > 0, 'the event loop stayed responsive')
  t.same(await parser.read('a: 1'), { ok: true, value: { a: 1 } }, 'the next document is parsed')
})

t.test('an organization with too many documents is rejected, another one is not', async (t) => {
  const responses = Promise.allSettled(Array.from({ length: 7 }, () => parser.read('a: 1')))
  t.same(await parserOf('other').read('a: 1'), { ok: true, value: { a: 1 } })
  const refused = (await responses).filter(({ status }) => status === 'rejected')
  t.match(refused, [{ reason: { code: 'SERVICE_UNAVAILABLE' } }, {}])
  t.equal(refused.length, 2)
})

t.test('a change of values retains comments, order and spelling of the rest', async (t) => {
  const base = `# top
spec: # of all
  components:
    # the API
    - name: API # A
      url: "https://a.example" # keep
      list: [1, 2]
    - name: Gone
    # last
    - { name: Flow, order: 1 }
`
  const values = {
    spec: {
      components: [
        { name: 'API', url: 'https://a.example', list: [1, 2], order: 3 },
        { name: 'Flow', order: 2 },
        { name: 'New', text: 'two\nlines\n' },
      ],
    },
  }
  const text = await parser.write({ base, values, warnings: ['x'] })
  t.equal(
    text,
    `# top
spec:
  # of all
  components:
    # the API
    - name: API # A
      url: "https://a.example" # keep
      list: [ 1, 2 ]
      order: 3
    # last
    - { name: Flow, order: 2 }
    - name: New
      text: |
        two
        lines

# warnings: x
`,
  )
  const places = await parser.locate(base, ['spec.components[0].url', 'spec.components[2].none'])
  t.same(places, [
    { line: 6, column: 7 },
    { line: 10, column: 7 },
  ])
})
