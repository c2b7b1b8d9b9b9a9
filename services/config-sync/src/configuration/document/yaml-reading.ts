/**
 * Converts the text of a document to plain values or to problems with their positions. Runs in the
 * parser process: two kilobytes can block the library for minutes. Messages never quote the source.
 */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLError,
} from 'yaml'

export interface SourcePosition {
  line: number
  column: number
}

export interface YamlProblem extends SourcePosition {
  message: string
}

export type YamlReadResult =
  | { ok: true; value: unknown }
  | { ok: false; problems: [YamlProblem, ...YamlProblem[]] }

const MAX_NODES = 50_000
const MAX_DEPTH = 20
/** Maximum keys of a map: large maps are slow to build, here and in the receiving process. */
const MAX_KEYS = 1_000
const MAX_PROBLEMS = 50

const poisonedKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Reads the core schema of YAML 1.2 and rejects ambiguous constructs. */
export const readYaml = (text: string): YamlReadResult => {
  const { document, lines } = parseYaml(text)
  const parseErrors = [...document.errors, ...document.warnings].map((parseError) => ({
    ...positionAt(lines, parseError.pos[0]),
    message: messageOf(parseError),
  }))
  const reader = new NodeReader(lines)
  if (parseErrors.length === 0 && hasDirectives(document))
    reader.addProblem(0, 'Directives are not supported')
  const value = parseErrors.length === 0 ? reader.readValue(document.contents, 0) : null
  const [first, ...others] = [...parseErrors, ...reader.problems].slice(0, MAX_PROBLEMS)
  return first === undefined ? { ok: true, value } : { ok: false, problems: [first, ...others] }
}

/**
 * Returns the position of each path, such as `spec.components[2].url`; for a missing field, the
 * position of its parent.
 */
export const locateInYaml = (text: string, paths: readonly string[]): SourcePosition[] => {
  const { document, lines } = parseYaml(text)
  return paths.map((path) => positionAt(lines, offsetOf(document.contents, path)))
}

/** Parses a document; the writer uses the same options. */
export const parseYaml = (text: string) => {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    stringKeys: true,
    // The library's check for duplicate keys is quadratic.
    uniqueKeys: false,
    resolveKnownTags: false,
    prettyErrors: false,
    lineCounter: lines,
  })
  return { document, lines }
}

const positionAt = (lines: LineCounter, offset: number): SourcePosition => {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(1, line), column: Math.max(1, col) }
}

const messageOf = ({ code }: YAMLError): string =>
  `The YAML cannot be parsed: ${code.toLowerCase().replaceAll('_', ' ')}`

const hasDirectives = ({ directives }: Document): boolean =>
  directives?.yaml.explicit === true || Object.keys(directives?.tags ?? {}).length > 1

/** Converts nodes to plain values in one linear walk and collects the problems of what it rejects. */
class NodeReader {
  readonly problems: YamlProblem[] = []
  readonly #lines: LineCounter
  #nodes = 0

  constructor(lines: LineCounter) {
    this.#lines = lines
  }

  addProblem(offset: number, message: string): void {
    if (this.problems.length >= MAX_PROBLEMS) return
    this.problems.push({ ...positionAt(this.#lines, offset), message })
  }

  readValue(node: Node | null, depth: number): unknown {
    if (++this.#nodes > MAX_NODES) {
      const message = `The document has more than ${MAX_NODES} nodes`
      if (this.#nodes === MAX_NODES + 1) this.addProblem(0, message)
      return null
    }
    if (node === null) return null
    const offset = node.range?.[0] ?? 0
    if (isAlias(node)) return this.addProblem(offset, 'Aliases are not supported')
    if (node.tag !== undefined) return this.addProblem(offset, 'Tags are not supported')
    if (isScalar(node)) return this.#readScalar(node.value, offset)
    if (depth >= MAX_DEPTH) {
      return this.addProblem(offset, `Nested deeper than ${MAX_DEPTH} levels`)
    }
    if (isSeq(node)) return node.items.map((item) => this.readValue(item as Node | null, depth + 1))
    if (isMap(node)) return this.#readMap(node.items as Pair<Node, Node | null>[], depth)
    return this.addProblem(offset, 'The YAML cannot be parsed')
  }

  #readScalar(value: unknown, offset: number): unknown {
    if (typeof value === 'string') {
      if (!value.isWellFormed()) this.addProblem(offset, 'Malformed Unicode')
      if (value.includes('\0')) this.addProblem(offset, 'The text contains the character U+0000')
      return value
    }
    if (typeof value === 'number' && !isPlainNumber(value)) {
      this.addProblem(offset, 'The number is out of range; write it in quotes if it is a text')
    }
    return value
  }

  #readMap(pairs: readonly Pair<Node, Node | null>[], depth: number): unknown {
    const fields = new Map<string, unknown>()
    const [first] = pairs
    if (pairs.length > MAX_KEYS) {
      return this.addProblem(first?.key.range?.[0] ?? 0, `More than ${MAX_KEYS} keys`)
    }
    for (const { key, value } of pairs) {
      const offset = key.range?.[0] ?? 0
      const name = isScalar(key) && key.tag === undefined ? key.value : null
      if (typeof name !== 'string') this.addProblem(offset, 'Keys must be plain text')
      else if (name === '<<') this.addProblem(offset, 'Merge keys are not supported')
      else if (poisonedKeys.has(name)) this.addProblem(offset, 'The key is not allowed')
      else if (fields.has(name)) this.addProblem(offset, 'The key is duplicated')
      else {
        this.#readScalar(name, offset)
        fields.set(name, this.readValue(value, depth + 1))
      }
    }
    return Object.fromEntries(fields)
  }
}

/** Larger integers lose precision. */
const isPlainNumber = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))

/** Follows the path as far as it exists. Keys may contain dots; the longest matching key wins. */
const offsetOf = (node: unknown, path: string, offset = 0): number => {
  const rest = path.startsWith('.') ? path.slice(1) : path
  if (rest === '') return offset
  const [bracket, index] = /^\[(\d+)\]/.exec(rest) ?? []
  if (bracket !== undefined) {
    const item = isSeq(node) ? (node.items[Number(index)] as Node | undefined) : undefined
    if (item?.range == null) return offset
    return offsetOf(item, rest.slice(bracket.length), item.range[0])
  }
  const pair = isMap(node) ? longestMatch(node.items as Pair<Node, Node>[], rest) : undefined
  if (pair?.key.range == null) return offset
  return offsetOf(pair.value, rest.slice(nameOf(pair).length), pair.key.range[0])
}

const nameOf = ({ key }: Pair<Node, Node>): string => (isScalar(key) ? String(key.value) : '')

const longestMatch = (pairs: readonly Pair<Node, Node>[], path: string) =>
  pairs
    .filter((pair) => {
      const name = nameOf(pair)
      return path.startsWith(name) && /^(?:$|[.[])/.test(path.slice(name.length))
    })
    .sort((left, right) => nameOf(right).length - nameOf(left).length)[0]
