/** Cooperative JSON serialisation of large values. */
import type { Cooperative } from '@status-page/contracts'
import { TextBytes } from './text-bytes.ts'

/**
 * Depth to which lists and objects are written entry by entry; deeper values are written in one
 * piece.
 */
const MAX_DEPTH = 4
const STEP_CHARACTERS = 16_384

interface Writing {
  text: TextBytes
  /** Length of the text at the last yield. */
  yieldedAt: number
}

/** Serialises an object or a list like `JSON.stringify`, in UTF-8. */
export function* stringifyJson(value: object): Cooperative<Buffer> {
  const writing: Writing = { text: new TextBytes(), yieldedAt: 0 }
  yield* write(writing, value, 0)
  return writing.text.toBuffer()
}

function* write(writing: Writing, value: unknown, depth: number): Cooperative<void> {
  const isComposed = typeof value === 'object' && value !== null && !('toJSON' in value)
  if (!isComposed || depth === MAX_DEPTH) writing.text.append(JSON.stringify(value) ?? 'null')
  else if (Array.isArray(value)) yield* writeList(writing, value, depth)
  else yield* writeObject(writing, value, depth)
  if (writing.text.length - writing.yieldedAt < STEP_CHARACTERS) return
  writing.yieldedAt = writing.text.length
  yield
}

function* writeList(writing: Writing, list: readonly unknown[], depth: number): Cooperative<void> {
  let separator = '['
  for (const entry of list) {
    writing.text.append(separator)
    separator = ','
    yield* write(writing, entry, depth + 1)
  }
  writing.text.append(separator === '[' ? '[]' : ']')
}

function* writeObject(writing: Writing, object: object, depth: number): Cooperative<void> {
  let separator = '{'
  for (const [key, member] of Object.entries(object)) {
    if (member === undefined) continue
    writing.text.append(`${separator}${JSON.stringify(key)}:`)
    separator = ','
    yield* write(writing, member, depth + 1)
  }
  writing.text.append(separator === '{' ? '{}' : '}')
}
