/**
 * Checks names and prose, sizes and imports of all files. A source is parsed once for all checks,
 * because parsing takes most of their time.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  checkImports,
  importsOf,
  type ModuleImport,
  type PackageWorkspace,
} from './check-imports.ts'
import { checkFile, repeatedTypes, type TypeName } from './check-names.ts'
import { checkSize } from './check-size.ts'
import { isSource, parseSource } from './source.ts'

const excluded = /(?:^|\/)(?:pnpm-lock\.yaml|LICENSE)$/

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const parameters = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
const files = execFileSync('git', parameters, { encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '' && !excluded.test(file) && existsSync(file))
const workspace = readWorkspace(files.filter((file) => basename(file) === 'package.json'))

const types: TypeName[] = []
const imports: ModuleImport[] = []
const findings: { file: string; line: number; problem: string }[] = []
for (const file of files) {
  const text = readFileSync(file, 'utf8')
  const source = isSource(file) ? parseSource(file, text) : null
  const names = checkFile(file, text, source)
  findings.push(...names.findings)
  types.push(...names.types)
  if (source === null) continue
  imports.push(...importsOf(source, workspace))
  if (!/\.d\.ts$|\.mjs$/.test(file)) findings.push(...checkSize(source))
}
findings.push(...repeatedTypes(types))
const problems = [
  ...findings.map(({ file, line, problem }) => `${file}:${line} ${problem}`),
  ...checkImports(imports, workspace, new Set(files)),
]
for (const problem of problems) console.error(problem)
console.log(`${files.length} files, ${imports.length} imports, ${problems.length} findings`)
process.exitCode = problems.length > 0 ? 1 : 0

function readWorkspace(manifests: readonly string[]): PackageWorkspace {
  const exportedFiles = new Map<string, string>()
  const allDependencies = new Map<string, ReadonlySet<string>>()
  for (const manifest of manifests) {
    const folder = dirname(manifest)
    const { name, exports = {}, ...content } = JSON.parse(readFileSync(manifest, 'utf8'))
    for (const [subpath, target] of Object.entries<string>(exports)) {
      exportedFiles.set(join(name, subpath), join(folder, target))
    }
    const { dependencies, devDependencies, peerDependencies } = content
    const declared = { ...dependencies, ...devDependencies, ...peerDependencies }
    allDependencies.set(folder, new Set(Object.keys(declared)))
  }
  return { exportedFiles, dependencies: allDependencies }
}
