/**
 * Cooperative JSON parser for large texts: `JSON.parse` blocks the event loop for a second for a
 * text of 5 MiB with 250,000 different keys. The caller limits values and nesting.
 */
import type { Cooperative } from '@status-page/contracts'

/** Maximum characters of one `JSON.parse` call, at most 10 ms for different keys. */
const PIECE_CHARACTERS = 4_096
/** Scalar: a number, true, false, null. */
const scalarPattern = /[^\s,:"[\]{}]{1,4096}/y
const notSpacePattern = /[^ \n\r\t]/g
/**
 * Maximum keys of an object, above any object of the API; listing the keys of a larger one takes
 * too long.
 */
const MAX_MEMBERS = 10_000

export class TooManyMembersError extends Error {}

interface Reading {
  readonly text: string
  readonly pieceCharacters: number
  /** Position of the next character. */
  at: number
  /** Position at the last yield. */
  yieldedAt: number
}

/**
 * Returns the value of `JSON.parse`. Throws SyntaxError, or `TooManyMembersError` for an object with
 * more than 10,000 keys.
 */
export function* parseJsonCooperatively(
  text: string,
  pieceCharacters = PIECE_CHARACTERS,
): Cooperative<unknown> {
  const reading: Reading = { text, pieceCharacters, at: 0, yieldedAt: 0 }
  const value = yield* readValue(reading)
  skipSpace(reading)
  if (reading.at < text.length) throw unexpected(reading)
  return value
}

function* readValue(reading: Reading): Cooperative<unknown> {
  if (reading.at - reading.yieldedAt >= reading.pieceCharacters) {
    reading.yieldedAt = reading.at
    yield
  }
  skipSpace(reading)
  const { text, at } = reading
  const end = isScalar(text[at]) ? endOfScalar(text, at) : endOfShort(reading)
  if (end !== undefined) {
    reading.at = end
    return JSON.parse(text.slice(at, end))
  }
  if (text[at] === '"') return yield* readLongText(reading)
  if (text[at] === '[') return yield* readList(reading)
  if (text[at] === '{') return yield* readObject(reading)
  throw unexpected(reading)
}

function* readList(reading: Reading): Cooperative<unknown[]> {
  const list: unknown[] = []
  reading.at += 1
  if (consume(reading, ']')) return list
  do list.push(yield* readValue(reading))
  while (consume(reading, ','))
  if (consume(reading, ']')) return list
  throw unexpected(reading)
}

function* readObject(reading: Reading): Cooperative<object> {
  const object: Record<string, unknown> = {}
  reading.at += 1
  if (consume(reading, '}')) return object
  let members = 0
  do {
    const key = yield* readValue(reading)
    if (typeof key !== 'string' || !consume(reading, ':')) throw unexpected(reading)
    members += 1
    if (members > MAX_MEMBERS) throw new TooManyMembersError()
    define(object, key, yield* readValue(reading))
  } while (consume(reading, ','))
  if (consume(reading, '}')) return object
  throw unexpected(reading)
}

/** Defines a property; assigning `__proto__` would change the prototype. */
const define = (object: Record<string, unknown>, key: string, value: unknown) => {
  if (key !== '__proto__') object[key] = value
  else {
    const attributes = { configurable: true, enumerable: true, writable: true }
    Object.defineProperty(object, key, { value, ...attributes })
  }
}

/**
 * Reads a text in pieces that do not split an escape sequence; split surrogate pairs are joined
 * again.
 */
function* readLongText(reading: Reading): Cooperative<string> {
  const { text } = reading
  let value = ''
  reading.at += 1
  for (;;) {
    const from = reading.at
    const to = endOfTextPiece(reading)
    value += JSON.parse(`"${text.slice(from, to)}"`)
    reading.at = to + 1
    if (text[to] === '"') return value
    reading.at = to
    if (to >= text.length) throw unexpected(reading)
    reading.yieldedAt = to
    yield
  }
}

/** Position of the closing quote, or of the end of the piece. */
const endOfTextPiece = ({ text, at: from, pieceCharacters }: Reading): number => {
  const limit = Math.min(text.length, from + pieceCharacters)
  let at = from
  while (at < limit && text[at] !== '"') at += lengthOfUnit(text, at)
  return Math.min(at, text.length)
}

/** Length of the escape sequence at the position, or one. */
const lengthOfUnit = (text: string, at: number): number => {
  if (text[at] !== '\\') return 1
  return text[at + 1] === 'u' ? 6 : 2
}

const isScalar = (first: string | undefined) => first !== '"' && first !== '[' && first !== '{'

const endOfScalar = (text: string, from: number): number | undefined => {
  scalarPattern.lastIndex = from
  return scalarPattern.test(text) ? scalarPattern.lastIndex : undefined
}

/** End of the short text, list or object at the position; `JSON.parse` validates its grammar. */
const endOfShort = ({ text, at: from, pieceCharacters }: Reading): number | undefined => {
  const limit = Math.min(text.length, from + pieceCharacters)
  let depth = 0
  let isInText = false
  for (let at = from; at < limit; at += 1) {
    const character = text[at]
    if (character === '"') isInText = !isInText
    else if (isInText) at += character === '\\' ? 1 : 0
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (!isInText && depth === 0) return at + 1
  }
  return undefined
}

const consume = (reading: Reading, character: string): boolean => {
  skipSpace(reading)
  if (reading.text[reading.at] !== character) return false
  reading.at += 1
  return true
}

const skipSpace = (reading: Reading) => {
  notSpacePattern.lastIndex = reading.at
  reading.at = notSpacePattern.exec(reading.text)?.index ?? reading.text.length
}

const unexpected = ({ at }: Reading) => new SyntaxError(`Unexpected character at ${at}`)
