/** The check of names and prose fails for each of its rules, and passes what the rules allow. */
import t from 'tap'
import { checkFile, type FileResult, repeatedTypes, wordRules } from './check-names.ts'
import { isSource, parseSource } from './source.ts'

/** One text that each pattern matches. */
const samples = (patterns: readonly string[]) => patterns.map((pattern) => pattern.replace('?', ''))
const words = samples(Object.keys(wordRules.words))

const check = (file: string, text: string): FileResult =>
  checkFile(file, text, isSource(file) ? parseSource(file, text) : null)
const problemsIn = (text: string, file = 'packages/bus/src/relay.ts') =>
  check(file, text).findings.map(({ line, problem }) => `${line} ${problem}`)

t.test('an exported type name declared in two files is found in the second', async (t) => {
  const declared = (file: string, text: string) => check(file, text).types
  const types = [
    ...declared('a.ts', 'export interface Answer {}\nexport type Own = string'),
    ...declared('b.ts', 'interface Own {}\n\nexport class Answer {}'),
    ...declared('c.ts', "export type { Answer } from './a.ts'"),
  ]
  t.match(repeatedTypes(types), [{ file: 'b.ts', line: 3, problem: /Answer.*a\.ts/ }])
  t.equal(repeatedTypes(types).length, 1, 'neither local types nor re-exports count')
})

t.test('a listed word is found in comments, messages and templates', async (t) => {
  for (const word of words) {
    t.match(problemsIn(`// The first line\n// has ${word} in it`), [`2 "${word}": use`], word)
    t.match(problemsIn(`/**\n * Text with ${word}\n */`), [`2 "${word}": use`], word)
    t.match(problemsIn(`throw new Error('has ${word} in it')`), [`1 "${word}"`], word)
    const template = `\`${word} \${count}\``
    t.match(problemsIn(`log(${template})`), [`1 "${word}"`], word)
  }
})

t.test('a listed word is found in identifiers and file names', async (t) => {
  for (const word of samples(wordRules.identifierParts)) {
    const capitalised = word.slice(0, 1).toUpperCase() + word.slice(1)
    t.match(problemsIn(`const is${capitalised} = open${capitalised}`), [/listed/, /listed/], word)
    t.match(problemsIn('', `services/gateway/src/pages/${word}.ts`), [/file name/], word)
  }
})

t.test('a listed word is found in documents and SQL', async (t) => {
  for (const word of words) {
    t.match(problemsIn(`A line.\nHas ${word} in it.`, 'README.md'), [`2 "${word}"`], word)
    const migration = 'services/core/migrations/0001_initial.sql'
    t.match(problemsIn(`-- has ${word} in it`, migration), [`"${word}"`], word)
  }
})

t.test('data is not prose', async (t) => {
  for (const word of words.filter((listed) => !listed.includes(' '))) {
    t.same(problemsIn(`const mailbox = '${word}@example.com', key = '${word}'`), [], word)
    t.same(problemsIn(`// A well-${word} library`), [], word)
  }
})

t.test('a doc comment that begins with a relative word is found', async (t) => {
  for (const opening of wordRules.docOpenings) {
    t.ok(problemsIn(`/** ${opening} it is. */`).length > 0, opening)
  }
  t.same(problemsIn('/** Returns the offset. */\n// As in RFC 9110.'), [])
})
