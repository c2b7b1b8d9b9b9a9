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
  /** Path such as `spec.components[2].url`; empty for the whole document. */
  path: string
  message: string
}

/**
 * Rejected nodes are null in `value`, so that other problems can be found. Without `hasValue`, the
 * text has no values that can be validated.
 */
export type YamlReadResult =
  | { ok: true; value: unknown }
  | {
      ok: false
      problems: [YamlProblem, ...YamlProblem[]]
      hasValue: boolean
      value: unknown
    }

const MAX_NODES = 50_000
const MAX_DEPTH = 20
/** Maximum keys of a map: large maps are slow to build, here and in the receiving process. */
const MAX_KEYS = 1_000
const MAX_PROBLEMS = 50

const poisonedKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Reads the core schema of YAML 1.2 and rejects ambiguous constructs. */
export const readYaml = (text: string): YamlReadResult => {
  const { document, lines } = parseYaml(text)
  // The reader rejects each tag with its path.
  const warnings = document.warnings.filter(({ code }) => code !== 'TAG_RESOLVE_FAILED')
  const parseErrors = [...document.errors, ...warnings].map((parseError) => ({
    ...positionAt(lines, parseError.pos[0]),
    path: '',
    message: messageOf(parseError),
  }))
  const reader = new NodeReader(lines)
  if (parseErrors.length === 0 && hasDirectives(document)) {
    reader.addProblem({ offset: 0, path: '' }, 'Directives are not supported')
  }
  const value =
    parseErrors.length === 0 ? reader.readValue(document.contents, { path: '', depth: 0 }) : null
  const [first, ...others] = [...parseErrors, ...reader.problems].slice(0, MAX_PROBLEMS)
  if (first === undefined) return { ok: true, value }
  const hasValue = parseErrors.length === 0 && !reader.isExhausted
  return { ok: false, problems: [first, ...others], hasValue, value: hasValue ? value : null }
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

interface Place {
  path: string
  depth: number
}

interface ProblemPlace {
  offset: number
  path: string
}

/** Converts nodes to plain values in one linear walk and collects the problems of what it rejects. */
class NodeReader {
  readonly problems: YamlProblem[] = []
  readonly #lines: LineCounter
  #nodes = 0

  constructor(lines: LineCounter) {
    this.#lines = lines
  }

  /** True when the document has too many nodes. */
  get isExhausted(): boolean {
    return this.#nodes > MAX_NODES
  }

  /** Returns null, the value of a rejected node. */
  addProblem({ offset, path }: ProblemPlace, message: string): null {
    if (this.problems.length < MAX_PROBLEMS) {
      this.problems.push({ ...positionAt(this.#lines, offset), path, message })
    }
    return null
  }

  readValue(node: Node | null, place: Place): unknown {
    this.#nodes++
    if (this.isExhausted) {
      const message = `The document has more than ${MAX_NODES} nodes`
      if (this.#nodes === MAX_NODES + 1) this.addProblem({ offset: 0, path: '' }, message)
      return null
    }
    if (node === null) return null
    const at = { offset: node.range?.[0] ?? 0, path: place.path }
    if (isAlias(node)) return this.addProblem(at, 'Aliases are not supported')
    if (node.tag !== undefined) return this.addProblem(at, 'Tags are not supported')
    if (isScalar(node)) return this.#readScalar(node.value, at)
    if (place.depth >= MAX_DEPTH) {
      return this.addProblem(at, `Nested deeper than ${MAX_DEPTH} levels`)
    }
    if (isSeq(node)) return this.#readList(node.items as (Node | null)[], place)
    if (isMap(node)) return this.#readMap(node.items as Pair<Node, Node | null>[], place)
    return this.addProblem(at, 'The YAML cannot be parsed')
  }

  #readScalar(value: unknown, at: ProblemPlace): unknown {
    if (typeof value === 'string') {
      if (!value.isWellFormed()) this.addProblem(at, 'Malformed Unicode')
      if (value.includes('\0')) this.addProblem(at, 'The text contains the character U+0000')
      return value
    }
    if (typeof value === 'number' && !isPlainNumber(value)) {
      this.addProblem(at, 'The number is out of range; write it in quotes if it is a text')
    }
    return value
  }

  #readList(items: readonly (Node | null)[], { path, depth }: Place): unknown {
    return items.map((item, index) =>
      this.readValue(item, { path: `${path}[${index}]`, depth: depth + 1 }),
    )
  }

  #readMap(pairs: readonly Pair<Node, Node | null>[], { path, depth }: Place): unknown {
    const fields = new Map<string, unknown>()
    const [first] = pairs
    if (pairs.length > MAX_KEYS) {
      return this.addProblem(
        { offset: first?.key.range?.[0] ?? 0, path },
        `More than ${MAX_KEYS} keys`,
      )
    }
    for (const { key, value } of pairs) {
      const at = { offset: key.range?.[0] ?? 0, path }
      const name = isScalar(key) && key.tag === undefined ? key.value : null
      if (typeof name !== 'string') this.addProblem(at, 'Keys must be plain text')
      else if (name === '<<') this.addProblem(at, 'Merge keys are not supported')
      else {
        const field = { ...at, path: joinPath(path, name) }
        if (poisonedKeys.has(name)) this.addProblem(field, 'The key is not allowed')
        else if (fields.has(name)) this.addProblem(field, 'The key is duplicated')
        else {
          this.#readScalar(name, field)
          fields.set(name, this.readValue(value, { path: field.path, depth: depth + 1 }))
        }
      }
    }
    return Object.fromEntries(fields)
  }
}

const joinPath = (parent: string, name: string): string =>
  parent === '' ? name : `${parent}.${name}`

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
