/**
 * Limits on the length of functions and files, in lines of code. Blank lines, comments, imports and object
 * or array literals without functions do not count: a table may be as long as what it lists.
 */
import { Visitor } from 'oxc-parser'
import type { Source } from './source.ts'

export const MAX_FUNCTION_LINES = 50
export const MAX_FILE_LINES = 300

export interface SizeFinding {
  file: string
  line: number
  problem: string
}

/** Offsets into the text, the end excluded. */
interface Range {
  start: number
  end: number
}

const testFile = /(?:\.test|\.fixture|\.test-kit|\.replica)\.ts$|(?:^|\/)e2e\//

/** Returns the functions that exceed their limit, and the file if it does; none for tests. */
export function checkSize({ file, text, comments, program }: Source): SizeFinding[] {
  if (testFile.test(file)) return []
  const functions: Range[] = []
  const literals: Range[] = []
  const isFunction = (node: Range) => void functions.push(node)
  const isLiteral = (node: Range) => void literals.push(node)
  new Visitor({
    FunctionDeclaration: isFunction,
    FunctionExpression: isFunction,
    ArrowFunctionExpression: isFunction,
    ObjectExpression: isLiteral,
    ArrayExpression: isLiteral,
    ImportDeclaration: isLiteral,
    TSInterfaceDeclaration: isLiteral,
    TSTypeAliasDeclaration: isLiteral,
  }).visit(program)
  const tables = literals.filter((literal) => !functions.some((inner) => contains(literal, inner)))
  const lines = linesOfCode(text, comments, tables)
  const findings = functions.flatMap((range) => {
    const count = countIn(lines, range)
    const problem = `function of ${count} lines, at most ${MAX_FUNCTION_LINES}`
    return count > MAX_FUNCTION_LINES ? [{ file, line: lineOf(text, range.start), problem }] : []
  })
  const total = countIn(lines, { start: 0, end: text.length })
  const problem = `file of ${total} lines, at most ${MAX_FILE_LINES}`
  return total > MAX_FILE_LINES ? [...findings, { file, line: 1, problem }] : findings
}

const contains = (outer: Range, inner: Range): boolean =>
  outer.start <= inner.start && inner.end <= outer.end

/** Returns the offset of each counted line. A table counts as its first line. */
function linesOfCode(text: string, comments: readonly Range[], tables: readonly Range[]): number[] {
  const skipped = new Set<number>()
  for (const { start, end } of tables) {
    for (
      let at = text.indexOf('\n', start);
      at !== -1 && at < end;
      at = text.indexOf('\n', at + 1)
    ) {
      skipped.add(at + 1)
    }
  }
  const lines: number[] = []
  let offset = 0
  for (const line of withoutComments(text, comments).split('\n')) {
    if (line.trim() !== '' && !skipped.has(offset)) lines.push(offset + line.search(/\S/))
    offset += line.length + 1
  }
  return lines
}

/** Replaces the characters of comments by spaces. */
function withoutComments(text: string, comments: readonly Range[]): string {
  const parts: string[] = []
  let offset = 0
  for (const { start, end } of comments) {
    parts.push(text.slice(offset, start), text.slice(start, end).replaceAll(/[^\n]/g, ' '))
    offset = end
  }
  return [...parts, text.slice(offset)].join('')
}

const countIn = (lines: readonly number[], { start, end }: Range): number => {
  const inside = lines.filter((offset) => offset >= start && offset < end).length
  const beginsOnOwnLine = lines.includes(start)
  return beginsOnOwnLine ? inside : inside + 1
}

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length
