/**
 * Parsing of untrusted JSON: UTF-8 only, no prototype keys, limited nesting, only text that
 * Postgres can store.
 */
import { type AppError, type Cooperative, invalid } from '@status-page/contracts'
import { parseJsonCooperatively, TooManyMembersError } from './cooperative-json-parser.ts'
import { runCooperatively, runToEnd } from './run-cooperatively.ts'
import { fieldPathOf } from './validate.ts'

export const MAX_NESTING = 20

const utf8 = new TextDecoder('utf-8', { fatal: true })

export const decodeUtf8 = (bytes: Buffer): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    throw refusal('body', 'is not valid UTF-8')
  }
}

/** Parses a body of a few KiB. */
export const parseJson = (bytes: Buffer): unknown => {
  const text = decodeUtf8(bytes)
  runToEnd(countValues(bytes))
  const value = parseWhole(text)
  validateJson(value)
  return value
}

/**
 * Parses like `parseJson`, cooperatively: a large body takes longer than one request may block the
 * event loop.
 */
export const parseLargeJson = async (bytes: Buffer): Promise<unknown> => {
  if (bytes.length <= SMALL_BYTES) return parseJson(bytes)
  const text = decodeUtf8(bytes)
  await runCooperatively(countValues(bytes))
  const value = await runCooperatively(readLarge(text))
  await runCooperatively(inspect(value))
  return value
}

/** Maximum size for parsing in one piece: 16 KiB of different keys take 10 ms. */
const SMALL_BYTES = 16 * 1024
/** Maximum values, more than an import of 5 MiB of incidents and their updates has. */
const MAX_VALUES = 250_000
const SCANNED_BYTES = 128 * 1024
const INSPECTED_VALUES = 1_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
/**
 * Whether the byte is a comma or starts a list or an object: at least one for each value but the
 * first.
 */
const isStart = (byte: number) => byte === 0x2c || byte === 0x5b || byte === 0x7b

const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b
const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d

/**
 * Throws 400 before the text is parsed: a value of two bytes can take a hundred bytes of memory.
 */
function* countValues(bytes: Buffer): Cooperative<void> {
  let values = 0
  let depth = 0
  let isInText = false
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number
    if (byte === QUOTE) isInText = !isInText
    else if (isInText) index += byte === BACKSLASH ? 1 : 0
    else {
      if (isStart(byte)) values += 1
      if (isOpening(byte)) depth += 1
      if (isClosing(byte)) depth -= 1
    }
    if (depth > MAX_NESTING) throw tooDeep()
    if (values > MAX_VALUES) throw refusal('body', `has more than ${MAX_VALUES} values`)
    if (index % SCANNED_BYTES === 0) yield
  }
}

const parseWhole = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw refusal('body', 'is not valid JSON')
  }
}

function* readLarge(text: string): Cooperative<unknown> {
  try {
    return yield* parseJsonCooperatively(text)
  } catch (error) {
    if (error instanceof TooManyMembersError) {
      throw refusal('body', 'has an object with more than 10000 keys')
    }
    throw refusal('body', 'is not valid JSON')
  }
}

/** Throws 400 for values that every operation rejects. */
export const validateJson = (value: unknown): void => runToEnd(inspect(value))

/** List or object whose members are being inspected. */
interface Level {
  /** Null for a list. */
  keys: readonly string[] | null
  members: readonly unknown[]
  next: number
}

function* inspect(root: unknown): Cooperative<void> {
  const levels: Level[] = []
  const enter = (value: unknown) => {
    if (typeof value === 'string') inspectText(value, pathTo(levels), 'holds')
    if (typeof value !== 'object' || value === null) return
    if (levels.length >= MAX_NESTING) throw tooDeep()
    if (Array.isArray(value)) levels.push({ keys: null, members: value, next: 0 })
    else {
      inspectKeys(value, pathTo(levels))
      levels.push({ keys: Object.keys(value), members: Object.values(value), next: 0 })
    }
  }
  enter(root)
  for (let inspected = 1; levels.length > 0; inspected += 1) {
    const level = levels[levels.length - 1] as Level
    if (level.next === level.members.length) levels.pop()
    else enter(level.members[level.next++])
    if (inspected % INSPECTED_VALUES === 0) yield
  }
}

/** Path of the current member; evaluated only for an error. */
const pathTo = (levels: readonly Level[]) => () =>
  levels.map(({ keys, next }) => keys?.[next - 1] ?? String(next - 1))

const inspectKeys = (value: object, path: Path) => {
  for (const key of Object.keys(value)) inspectText(key, path, 'has a key with')
  if (Object.hasOwn(value, '__proto__')) throw refusal(nameOf(path), 'has the key __proto__')
  if (!Object.hasOwn(value, 'constructor')) return
  const held: unknown = value.constructor
  const isObject = typeof held === 'object' && held !== null
  if (isObject && Object.hasOwn(held, 'prototype')) {
    throw refusal(nameOf(path), 'has the key constructor.prototype')
  }
}

const inspectText = (text: string, path: Path, verb: string) => {
  if (text.includes('\0')) throw refusal(nameOf(path), `${verb} the character U+0000`)
  if (!text.isWellFormed()) throw refusal(nameOf(path), `${verb} malformed Unicode`)
}

type Path = () => readonly string[]

const nameOf = (path: Path) => fieldPathOf(path()) || 'body'

const tooDeep = () => refusal('body', `is nested deeper than ${MAX_NESTING} levels`)

const refusal = (field: string, problem: string): AppError =>
  invalid({ field, message: `${field} ${problem}` })
