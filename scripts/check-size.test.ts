import t from 'tap'
import { checkSize, MAX_FILE_LINES, MAX_FUNCTION_LINES } from './check-size.ts'
import { parseSource } from './source.ts'

const statements = (count: number) => Array.from({ length: count }, () => '  step()').join('\n')
const problemsIn = (text: string, file = 'a.ts') =>
  checkSize(parseSource(file, text)).map((one) => one.problem)

t.test('a function above the limit is a finding', async (t) => {
  const ofLines = (count: number) => `export function work() {\n${statements(count - 2)}\n}\n`
  t.same(problemsIn(ofLines(MAX_FUNCTION_LINES)), [])
  t.match(problemsIn(ofLines(MAX_FUNCTION_LINES + 1)), [/^function of \d+ lines/])
})

t.test('comments, blank lines and tables do not count', async (t) => {
  const table = `  const table = {\n${'    key: 1,\n'.repeat(60)}  }`
  const comment = `  /*\n${'   text\n'.repeat(60)}  */`
  t.same(problemsIn(`const work = () => {\n${table}\n${comment}\n${'\n'.repeat(60)}}\n`), [])
})

t.test('an object literal with a function counts', async (t) => {
  const entries = '    key: () => step(),\n'.repeat(MAX_FUNCTION_LINES)
  t.match(problemsIn(`const work = () => {\n  return {\n${entries}  }\n}\n`), [/^function of/])
})

t.test('a file above the limit is a finding, except for tests', async (t) => {
  const text = 'step()\n'.repeat(MAX_FILE_LINES + 1)
  t.match(problemsIn(text), [/^file of \d+ lines/])
  t.same(problemsIn(text, 'a.test.ts'), [])
})
