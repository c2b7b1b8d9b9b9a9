/** JSON from outside: UTF-8 only, no poisoned keys, no deep nests, no text that Postgres cannot hold. */
import { type AppError, invalid } from '@status-page/contracts'
import { pathOf } from './validate.ts'

export const MAX_NESTING = 20

const utf8 = new TextDecoder('utf-8', { fatal: true })

export const parseText = (bytes: Buffer): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    throw refusal('body', 'is not valid UTF-8')
  }
}

export const parseJson = (bytes: Buffer): unknown => {
  const text = parseText(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refusal('body', 'is not valid JSON')
  }
  judgeJson(value)
  return value
}

/** Throws 400 for what no operation takes, whatever its schema. */
export const judgeJson = (value: unknown): void => inspect(value, [])

const inspect = (value: unknown, path: string[]): void => {
  if (typeof value === 'string') inspectText(value, path, 'holds')
  if (typeof value !== 'object' || value === null) return
  if (path.length >= MAX_NESTING)
    throw refusal('body', `is nested deeper than ${MAX_NESTING} levels`)
  if (!Array.isArray(value)) inspectKeys(value, path)
  for (const [key, member] of Object.entries(value)) {
    path.push(key)
    inspect(member, path)
    path.pop()
  }
}

const inspectKeys = (value: object, path: string[]) => {
  for (const key of Object.keys(value)) inspectText(key, path, 'has a key with')
  if (Object.hasOwn(value, '__proto__')) throw refusal(nameOf(path), 'has the key __proto__')
  if (!Object.hasOwn(value, 'constructor')) return
  const held: unknown = value.constructor
  const isObject = typeof held === 'object' && held !== null
  if (isObject && Object.hasOwn(held, 'prototype')) {
    throw refusal(nameOf(path), 'has the key constructor.prototype')
  }
}

const inspectText = (text: string, path: string[], verb: string) => {
  if (text.includes('\0')) throw refusal(nameOf(path), `${verb} the character U+0000`)
  if (!text.isWellFormed()) throw refusal(nameOf(path), `${verb} malformed Unicode`)
}

const nameOf = (path: readonly string[]) => pathOf(path) || 'body'

const refusal = (field: string, problem: string): AppError =>
  invalid({ field, message: `${field} ${problem}` })
