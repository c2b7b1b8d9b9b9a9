/**
 * Updates the text of a document to new values. Unchanged values keep their comments, order and
 * spelling; the new text parses to exactly the new values.
 */
import {
  Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { parseYaml } from './yaml-reading.ts'

export type YamlValues = Readonly<Record<string, unknown>>

export interface YamlWriteTask {
  /** Text to change; null for a new document. */
  base: string | null
  values: YamlValues
  /** Comments at the end of the text. */
  warnings: readonly string[]
}

export const writeYaml = ({ base, values, warnings }: YamlWriteTask): string => {
  const document = base === null ? new Document({}) : parseYaml(base).document
  const merged = merge(document as Document, document.contents as Node | null, values)
  document.contents = merged as typeof document.contents
  // Warnings of an earlier export are replaced.
  const comment = document.comment ?? ''
  if (warnings.length > 0 || comment.includes(WARNING)) {
    const otherLines = comment.split('\n').filter((line) => !line.startsWith(WARNING))
    const lines = [...otherLines, ...warnings.map((warning) => `${WARNING}${warning}`)]
    document.comment = lines.filter((line, index) => line !== '' || index > 0).join('\n') || null
  }
  // Long texts are not folded, so that a diff shows the changed lines only.
  return document.toString({ lineWidth: 0 })
}

const WARNING = ' warnings: '

const merge = (document: Document, node: Node | null, desired: unknown): Node => {
  if (isMap(node) && isRecord(desired)) return mergeMap(document, node, desired)
  if (isSeq(node) && Array.isArray(desired)) return mergeSeq(document, node, desired)
  if (isScalar(node) && node.value === desired) return node
  return withComments(document.createNode(desired) as Node, node)
}

const mergeMap = (document: Document, map: YAMLMap, desired: Record<string, unknown>): YAMLMap => {
  if (map.items.length === 0) map.flow = false
  map.items = map.items.filter(({ key }) => Object.hasOwn(desired, textOf(key)))
  for (const [name, value] of Object.entries(desired)) {
    const pair = map.items.find(({ key }) => textOf(key) === name)
    if (pair === undefined) map.items.push(document.createPair(name, value) as never)
    else pair.value = merge(document, pair.value as Node | null, value)
  }
  return map
}

/** Merges lists of named entries by slug or name, other lists by index. */
const mergeSeq = (document: Document, seq: YAMLSeq, desired: readonly unknown[]): YAMLSeq => {
  const items = seq.items as Node[]
  if (items.length === 0) seq.flow = false
  const remaining = new Map(desired.map((value) => [nameOf(value), value]))
  const isNamed = !remaining.has(null) && items.every((item) => nameIn(item) !== null)
  if (!isNamed || remaining.size < desired.length) {
    seq.items = desired.map((value, index) => merge(document, items[index] ?? null, value))
    return seq
  }
  const retained = items.flatMap((item) => {
    const name = nameIn(item) as string
    const value = remaining.get(name)
    remaining.delete(name)
    return value === undefined ? [] : [merge(document, item, value)]
  })
  seq.items = [
    ...retained,
    ...[...remaining.values()].map((value) => document.createNode(value) as Node),
  ]
  return seq
}

const withComments = (replacement: Node, old: Node | null): Node => {
  if (old === null) return replacement
  replacement.commentBefore = old.commentBefore ?? null
  replacement.spaceBefore = old.spaceBefore ?? false
  // A comment after a list or map would begin in the middle of a line.
  if (isScalar(replacement)) replacement.comment = old.comment ?? null
  return replacement
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nameOf = (value: unknown): string | null => {
  const name = isRecord(value) ? (value.slug ?? value.name) : null
  return typeof name === 'string' ? name : null
}

const nameIn = (item: Node): string | null =>
  isMap(item) ? nameOf({ slug: item.get('slug'), name: item.get('name') }) : null

const textOf = (key: unknown): string => (isNode(key) ? String((key as Scalar).value) : String(key))
