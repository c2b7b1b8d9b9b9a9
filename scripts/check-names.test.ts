/** The check of names and prose fails for each of its rules, and passes what the rules allow. */
import t from 'tap'
import { checkFile, countFindings, increases, repeatedTypes } from './check-names.ts'

const problemsIn = (text: string, file = 'packages/bus/src/relay.ts') =>
  checkFile(file, text).findings.map(({ line, problem }) => `${line} ${problem}`)

t.test('an exported type name declared in two files is found in the second', async (t) => {
  const declared = (file: string, text: string) => checkFile(file, text).types
  const types = [
    ...declared('a.ts', 'export interface Answer {}\nexport type Own = string'),
    ...declared('b.ts', 'interface Own {}\n\nexport class Answer {}'),
    ...declared('c.ts', "export type { Answer } from './a.ts'"),
  ]
  t.match(repeatedTypes(types), [{ file: 'b.ts', line: 3, problem: /Answer.*a\.ts/ }])
  t.equal(repeatedTypes(types).length, 1, 'neither local types nor re-exports count')
})

t.test('a listed word is found in comments, messages, templates and identifiers', async (t) => {
  t.match(problemsIn('// The first line\n// is told about it'), [/^2 "told": use/])
  t.match(problemsIn('/**\n * Answers are kept\n */'), [/^2 "kept": use/])
  t.match(problemsIn("throw new Error('for ever waiting')"), [/^1 "for ever"/])
  const template = '`nobody ' + '$' + '{waits}`'
  t.match(problemsIn(`log(${template})`), [/^1 "nobody"/])
  t.match(problemsIn('const isTold = openDoor'), [/isTold/, /openDoor/])
})

t.test('a listed word is found in documents, SQL and file names', async (t) => {
  t.match(problemsIn('A line.\nNobody reads it.', 'README.md'), [/^2 "Nobody"/])
  t.match(problemsIn('-- read anew', 'services/core/migrations/0001_initial.sql'), [/"anew"/])
  t.match(problemsIn('', 'services/gateway/src/pages/crowds.ts'), [/file name/])
})

t.test('data is not prose', async (t) => {
  t.same(problemsIn("const mailbox = 'nobody@example.com', key = 'told'"), [])
  t.same(problemsIn('// A well-kept library; `isHeartbeat` and unheard are other words.'), [])
})

t.test('a doc comment that begins with a relative word is found', async (t) => {
  for (const opening of ['What', 'Who', 'Of', 'So', 'As', 'While', 'Whoever', 'Those']) {
    t.ok(problemsIn(`/** ${opening} it is. */`).length > 0, opening)
  }
  t.same(problemsIn('/** Returns the offset. */\n// As in RFC 9110.'), [])
})

t.test('counts may fall and must not rise', async (t) => {
  const { findings } = checkFile('packages/bus/src/relay.ts', '// told\n// anew')
  const counts = countFindings(findings)
  t.same(counts, { 'packages/bus': { word: 2 } })
  t.same(increases(counts, { 'packages/bus': { word: 3 } }), [])
  t.same(increases(counts, { 'packages/bus': { word: 2 } }), [])
  t.match(increases(counts, { 'packages/bus': { word: 1 } }), [/packages\/bus: 2 .* 1 allowed/])
  t.match(increases(counts, {}), [/0 allowed/])
})
