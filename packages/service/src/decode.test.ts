/** Decoding and validation of any input end in an input or in a rejection, never in a fault. */
import { AppError } from '@status-page/contracts'
import fc from 'fast-check'
import t from 'tap'
import { NewThing, thingOperations } from './contract.test-kit.ts'
import { compileDecoder } from './decode.ts'
import { inputReader } from './input.ts'
import { validateJson } from './json.ts'
import { compileValidator } from './validate.ts'

const RUNS = { numRuns: 500 }

const names = ['type', 'name', 'url', 'at', 'size', 'headers', 'conditions', '__proto__']
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('PLAIN', 'LINKED', 'http://a', '2024-02-30T00:00:00Z', '\u200b', 'a@b.io'),
)
const { tree: anything } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(null, true, 0, -1, 1.5, Number.MAX_VALUE),
    texts,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), texts), tie('tree'), { maxKeys: 6 }),
  ),
}))

const endsWell = (work: () => unknown): boolean => {
  try {
    work()
    return true
  } catch (error) {
    return error instanceof AppError
  }
}

t.test('any JSON body is an input or a rejection', async (t) => {
  const read = inputReader(thingOperations.create)
  const bytes = Buffer.alloc(0)
  fc.assert(
    fc.property(anything, (value) =>
      endsWell(() => {
        validateJson(value)
        read({ params: {}, url: '/', ifMatch: undefined, body: { kind: 'json', value, bytes } })
      }),
    ),
    RUNS,
  )
  t.pass()
})

t.test('any query, path and version is an input or a rejection', async (t) => {
  const readers = [thingOperations.list, thingOperations.touch].map(inputReader)
  const query = fc.array(fc.tuple(fc.constantFrom('page', 'from', 'include', '%', 'x'), texts))
  fc.assert(
    fc.property(query, texts, texts, (pairs, id, ifMatch) => {
      const url = `/?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`
      return readers.every((read) =>
        endsWell(() => read({ params: { id }, url, ifMatch, body: undefined })),
      )
    }),
    RUNS,
  )
  t.pass()
})

t.test('accepted input is accepted unchanged a second time', async (t) => {
  const decode = compileDecoder(NewThing)
  const judge = compileValidator(NewThing, 'body')
  fc.assert(
    fc.property(anything, (value) => {
      const once = decode({ type: 'LINKED', name: 'a', url: 'http://a/', headers: value })
      if (judge(once).length > 0) return true
      const twice = decode(once)
      return judge(twice).length === 0 && JSON.stringify(once) === JSON.stringify(twice)
    }),
    RUNS,
  )
  t.pass()
})

t.test(
  'a key of a map with a line break is judged as every other one, and not dropped',
  async (t) => {
    const decode = compileDecoder(NewThing)
    const headers = JSON.parse('{"a":"1","b\\r\\nc":{"x":1}}')
    const decoded = decode({ type: 'LINKED', headers })
    t.same(decoded, { type: 'LINKED', size: 3, headers })
    const issues = compileValidator(NewThing, 'body')(decoded)
    t.ok(issues.some(({ field, message }) => /^headers/.test(field) && /string/.test(message)))
  },
)

t.test('defaults are not shared between inputs', async (t) => {
  const decode = compileDecoder({ type: 'object', properties: { list: { default: [] } } } as never)
  const first = decode({}) as { list: number[] }
  first.list.push(1)
  t.same(decode({}), { list: [] })
})
