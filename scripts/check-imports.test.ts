/** The check of imports fails for each kind of its rules, and passes what the rules allow. */
import { extname } from 'node:path'
import t from 'tap'
import { checkImports, importsOf } from './check-imports.ts'
import { parseSource } from './source.ts'

const ownPackages = new Set(['bus', 'contracts', 'testing'].map((name) => `@status-page/${name}`))
const workspace = {
  exportedFiles: new Map([
    ['@status-page/bus', 'packages/bus/src/index.ts'],
    ['@status-page/contracts', 'packages/contracts/src/index.ts'],
    ['@status-page/contracts/slug', 'packages/contracts/src/slug.ts'],
    ['@status-page/testing', 'packages/testing/src/index.ts'],
  ]),
  dependencies: new Map([
    ['packages/dashboard', ownPackages],
    ['packages/postgres', ownPackages],
    ['services/core', new Set([...ownPackages, 'fastify', '@fastify/cookie'])],
  ]),
}

/** Problems of files with these texts; every other file with an extension exists. */
const problemsIn = (texts: Record<string, string>) => {
  const imports = Object.entries(texts).flatMap(([file, text]) =>
    importsOf(parseSource(file, text), workspace),
  )
  const targets = imports.map(({ to }) => to).filter((path) => extname(path) !== '')
  return checkImports(imports, workspace, new Set(targets))
}

t.test('an import across a boundary is found', async (t) => {
  const cases: [string, string, RegExp][] = [
    ['packages/postgres/src/a.ts', '@status-page/bus', /packages\/postgres imports only/],
    ['services/core/src/a.ts', '../../notifier/src/a.ts', /never each other/],
    ['services/core/src/a.ts', '@status-page/testing', /never each other/],
    ['packages/dashboard/src/a.tsx', '@status-page/contracts', /the dashboard imports/],
    ['services/core/src/sla/rules.ts', '@status-page/bus', /rules import contracts/],
    ['services/core/src/sla/rules.ts', './store.ts', /rules are pure/],
    ['services/core/src/sla/rules.ts', 'node:fs', /rules import nothing of Node/],
    ['services/core/src/sla/store.ts', '@status-page/bus', /stores import/],
    ['services/core/src/sla/jobs.ts', '../app.ts', /imported by the app only/],
  ]
  for (const [file, specifier, problem] of cases) {
    const forms = [
      `import { a } from '${specifier}'`,
      `export * from '${specifier}'`,
      `await import('${specifier}')`,
    ]
    for (const text of forms) t.match(problemsIn({ [file]: text }), [problem], `${file}: ${text}`)
  }
  const type = "type A = import('./store.ts').A"
  t.match(problemsIn({ 'services/core/src/sla/rules.ts': type }), [/rules are pure/])
})

t.test('allowed imports are not found', async (t) => {
  const allowed: [string, string][] = [
    ['packages/postgres/src/a.test.ts', "import { a } from '@status-page/testing'"],
    ['services/core/src/a.ts', "import { a } from '@status-page/bus'"],
    ['packages/dashboard/src/a.tsx', "import type { A } from '@status-page/contracts'"],
    ['packages/dashboard/src/a.tsx', "import { a } from '@status-page/contracts/slug'"],
    ['packages/dashboard/src/api/contract.ts', "import { a } from '@status-page/contracts'"],
    ['services/core/src/app.ts', "import { a } from './sla/jobs.ts'"],
  ]
  for (const [file, text] of allowed) t.same(problemsIn({ [file]: text }), [], `${file}: ${text}`)
})

t.test('cycles of files and of folders are found', async (t) => {
  const a = "import type { A } from './b.ts'"
  const files = { 'infra/a.ts': a, 'infra/b.ts': "import { a } from './c.ts'" }
  t.same(problemsIn(files), [])
  t.match(problemsIn({ ...files, 'infra/c.ts': "import { a } from './a.ts'" }), [/files have no/])
  const folders = {
    'services/core/src/sla/a.ts': "import { a } from '../pages/b.ts'",
    'services/core/src/pages/c.ts': "import { a } from '../sla/d.ts'",
  }
  t.match(problemsIn(folders), [/folders have no cycles/])
})

t.test('an import without the extension of its file is found', async (t) => {
  t.match(problemsIn({ 'infra/a.ts': "import { b } from './b'" }), [/path is that of a file/])
})

t.test('an undeclared dependency is found, except in tests', async (t) => {
  const inCore = (specifier: string, file = 'a.ts') =>
    problemsIn({ [`services/core/src/${file}`]: `import '${specifier}'` })
  for (const specifier of ['fastify', '@fastify/cookie/types', 'node:fs']) {
    t.same(inCore(specifier), [], specifier)
  }
  for (const specifier of ['yaml', 'yaml/parser', '@fastify/compress']) {
    t.match(inCore(specifier), [/dependencies are declared/], specifier)
    t.same(inCore(specifier, 'a.test.ts'), [], specifier)
  }
})
