/**
 * Checks that every path cited by a document exists, and that no document contains a path of one
 * user's machine. A path is a text in backticks or in a link that resembles one of this repository.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface DocumentFinding {
  file: string
  line: number
  problem: string
}

const ignored = ['node_modules', '.data', '.tap', '.turbo']

/** First segments of paths of this repository, as opposed to HTTP paths or MIME types. */
const ownRoots = ['packages/', 'services/', 'e2e/', 'infra/', 'scripts/', '.ci/']
const rootFile = /^[\w.-]+\.(?:md|json|yaml|yml|ts|mjs|example)$/
/** Files created at run time or by the reader. */
const createdLater = ['.env', 'secrets.json']
const machinePath = /(?:^|[\s`"'(])(?:\/(?:home|Users|root|work|private)\/[\w.-]+)/

/** Findings of one document; `exists` checks a path relative to the root. */
export function checkDocument(
  file: string,
  text: string,
  exists: (path: string) => boolean,
): DocumentFinding[] {
  return text.split('\n').flatMap((content, index) => {
    const missing = citedPaths(content, file).filter((path) => !exists(path))
    const problems = missing.map((path) => `cites ${path}, which does not exist`)
    if (machinePath.test(content)) problems.push('names a path of one machine')
    return problems.map((problem) => ({ file, line: index + 1, problem }))
  })
}

function citedPaths(line: string, file: string): string[] {
  const quoted = [...line.matchAll(/`([^`\s]+)`/g)].map(([, text = '']) => text)
  const linked = [...line.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(?:[a-z]+:|#)/.test(target))
    .map((target) => join(dirname(file), target.replace(/#.*$/, '')))
  return [...quoted.filter(isOwnPath), ...linked].flatMap(expandBraces).map(withoutPosition)
}

function isOwnPath(text: string): boolean {
  if (/[<>*{}$…]/.test(text.replaceAll(/\{[\w.,-]+\}/g, ''))) return false
  if (createdLater.includes(text)) return false
  return ownRoots.some((start) => text.startsWith(start)) || rootFile.test(text)
}

/** Expands braces: `src/{main,app}.ts` cites two files. */
function expandBraces(path: string): string[] {
  const [whole, list = ''] = /\{([\w.,-]+)\}/.exec(path) ?? []
  if (whole === undefined) return [path]
  return list.split(',').flatMap((part) => expandBraces(path.replace(whole, part)))
}

function withoutPosition(path: string): string {
  return path.replace(/:\d+(?::\d+)?$/, '').replace(/[.,;:]$/, '')
}

function main(): void {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const documents = globSync('**/*.md', {
    cwd: root,
    exclude: (path) => path.split('/').some((part) => ignored.includes(part)),
  })
  const files = globSync('**/*', {
    cwd: root,
    exclude: (path) => path.split('/').some((part) => ignored.includes(part)),
  })
  // A file name without a folder may mean a file of any folder (`rules.ts`).
  const names = new Set(files.map((path) => path.split('/').at(-1)))
  const exists = (path: string) =>
    existsSync(join(root, path)) || (!path.includes('/') && names.has(path))
  const findings = documents.flatMap((file) =>
    checkDocument(file, readFileSync(join(root, file), 'utf8'), exists),
  )
  for (const { file, line, problem } of findings) console.error(`${file}:${line} ${problem}`)
  console.log(`${documents.length} documents, ${findings.length} findings`)
  if (findings.length > 0) process.exitCode = 1
}

if (import.meta.main) main()
