/**
 * Rules for names and prose: an exported type name exists once, listed words are absent, and a doc
 * comment begins with a noun or a verb.
 */
import { readFileSync } from 'node:fs'
import { Visitor } from 'oxc-parser'
import type { Source } from './source.ts'

export const nameRules = ['unique-type', 'word', 'doc-opening'] as const
type Rule = (typeof nameRules)[number]

export interface NameFinding {
  rule: Rule
  file: string
  line: number
  problem: string
}

interface WordRules {
  /** Patterns of words that a reader has to guess at, with the term to use instead. */
  words: Record<string, string>
  /** Patterns of parts of identifiers and file names, where words are joined by case or hyphens. */
  identifierParts: string[]
  /** First words of a doc comment that is not object first. */
  docOpenings: string[]
}

export const wordRules = JSON.parse(
  readFileSync(new URL('banned-words.json', import.meta.url), 'utf8'),
) as WordRules
const listedWords = wordRules.words
const word = new RegExp(`(?<![\\w-])(?:${Object.keys(listedWords).join('|')})(?![\\w-])`, 'i')
const namePart = new RegExp(`^(?:${wordRules.identifierParts.join('|')})$`, 'i')

const relativeOpening = new RegExp(`^(?:${wordRules.docOpenings.join('|')})\\b`)

const textFiles = /\.(?:md|sql|ya?ml|conf|example)$|(?:^|\/)Dockerfile$/

/** Exported type names of one file with their lines, for the comparison across files. */
export interface TypeName {
  name: string
  file: string
  line: number
}

export interface FileResult {
  findings: NameFinding[]
  types: TypeName[]
}

/** Checks one file; documents and SQL are prose throughout, `source` is the parsed TypeScript. */
export function checkFile(file: string, text: string, source: Source | null): FileResult {
  const findings = file.split(/[/.-]/).some((part) => namePart.test(part))
    ? [{ rule: 'word' as const, file, line: 1, problem: 'the file name uses a listed word' }]
    : []
  if (textFiles.test(file)) return { findings: [...findings, ...checkText(file, text)], types: [] }
  if (source === null) return { findings, types: [] }
  const inSource = checkSource(source)
  return { findings: [...findings, ...inSource.findings], types: inSource.types }
}

/** One finding per exported type name that more than one file declares, at each place after the first. */
export function repeatedTypes(types: TypeName[]): NameFinding[] {
  const first = new Map<string, TypeName>()
  return types.flatMap((type) => {
    const earlier = first.get(type.name)
    first.set(type.name, earlier ?? type)
    if (earlier === undefined || earlier.file === type.file) return []
    const problem = `exported type ${type.name} is also declared in ${earlier.file}`
    return [{ rule: 'unique-type' as const, file: type.file, line: type.line, problem }]
  })
}

function checkText(file: string, text: string): NameFinding[] {
  return text.split('\n').flatMap((content, index) => wordFinding(file, index + 1, content))
}

function checkSource({ file, text, comments, program }: Source): FileResult {
  const lineAt = lineCounter(text)
  const findings: NameFinding[] = []
  const prose = (start: number, value: string) => {
    const first = lineAt(start)
    value.split('\n').forEach((line, index) => {
      findings.push(...wordFinding(file, first + index, line))
    })
  }
  const identifier = (start: number, name: string) => {
    const parts = name.split(/(?=[A-Z])|[_$-]/)
    if (!parts.some((part) => namePart.test(part))) return
    const problem = `the name ${name} uses a listed word`
    findings.push({ rule: 'word', file, line: lineAt(start), problem })
  }
  for (const comment of comments) {
    prose(comment.start, comment.value)
    if (comment.type === 'Block' && comment.value.startsWith('*')) {
      const opening = relativeOpening.exec(comment.value.replace(/^[\s*]+/, ''))?.[0]
      if (opening === undefined) continue
      const problem = `the doc comment begins with "${opening}"`
      findings.push({ rule: 'doc-opening', file, line: lineAt(comment.start), problem })
    }
  }
  const types: TypeName[] = []
  const visitor = new Visitor({
    Identifier: (node) => identifier(node.start, node.name),
    Literal(node) {
      // A string without a space is data: an id, a header, an address.
      if (typeof node.value === 'string' && node.value.includes(' ')) prose(node.start, node.value)
    },
    TemplateElement(node) {
      if (node.value.raw.includes(' ')) prose(node.start, node.value.raw)
    },
    ExportNamedDeclaration({ declaration }) {
      const declares = ['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'ClassDeclaration']
      if (!declaration || !declares.includes(declaration.type)) return
      const id = 'id' in declaration ? declaration.id : null
      if (id?.type === 'Identifier') types.push({ name: id.name, file, line: lineAt(id.start) })
    },
  })
  visitor.visit(program)
  return { findings, types }
}

function wordFinding(file: string, line: number, text: string): NameFinding[] {
  const found = word.exec(text)?.[0]
  if (found === undefined) return []
  const pattern = Object.keys(listedWords).find((key) => new RegExp(`^${key}$`, 'i').test(found))
  const problem = `"${found}": use ${listedWords[pattern ?? '']}`
  return [{ rule: 'word', file, line, problem }]
}

/** Returns a function from an offset to its line, counted from 1. */
function lineCounter(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return low + 1
  }
}
