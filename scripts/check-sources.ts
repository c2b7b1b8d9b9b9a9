/**
 * Checks names, prose and sizes of all files. A source is parsed once for all checks, because
 * parsing takes most of their time.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkFile, repeatedTypes, type TypeName } from './check-names.ts'
import { checkSize } from './check-size.ts'
import { isSource, parseSource } from './source.ts'

const excluded = /(?:^|\/)(?:pnpm-lock\.yaml|LICENSE)$/

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const parameters = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
const files = execFileSync('git', parameters, { encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '' && !excluded.test(file) && existsSync(file))

const types: TypeName[] = []
const findings: { file: string; line: number; problem: string }[] = []
for (const file of files) {
  const text = readFileSync(file, 'utf8')
  const source = isSource(file) ? parseSource(file, text) : null
  const names = checkFile(file, text, source)
  findings.push(...names.findings)
  types.push(...names.types)
  if (source !== null && !/\.d\.ts$|\.mjs$/.test(file)) findings.push(...checkSize(source))
}
findings.push(...repeatedTypes(types))
for (const { file, line, problem } of findings) console.error(`${file}:${line} ${problem}`)
console.log(`${files.length} files, ${findings.length} findings of names, prose and sizes`)
process.exitCode = findings.length > 0 ? 1 : 0
