/**
 * Conditions of checks, and their grammar: the meaning of a target for its type and comparator. The same parser
 * validates a condition before it is stored and reads it for a check, so that a stored condition
 * always parses.
 */
import { type Static, Type } from '@sinclair/typebox'
import { OneOf } from './scalars.ts'

export const conditionTypes = [
  'STATUS_CODE',
  'RESPONSE_TIME',
  'JSON_PATH',
  'HEADER',
  'BODY_CONTAINS',
  'BANNER',
  'CERTIFICATE_DAYS',
  'DNS_RECORD',
  'DOMAIN_DAYS',
] as const
export type ConditionType = (typeof conditionTypes)[number]

export const comparators = [
  'EQUALS',
  'NOT_EQUALS',
  'GREATER_THAN',
  'LESS_THAN',
  'CONTAINS',
  'EXISTS',
  'NOT_EXISTS',
] as const
export type Comparator = (typeof comparators)[number]

const ordered = ['EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN'] as const

/**
 * Allowed comparators of each condition type; other pairs are rejected when a component is saved.
 */
export const comparatorsOf: Record<ConditionType, readonly Comparator[]> = {
  STATUS_CODE: ordered,
  RESPONSE_TIME: ordered,
  JSON_PATH: comparators,
  HEADER: comparators,
  BODY_CONTAINS: ['EQUALS', 'NOT_EQUALS', 'CONTAINS', 'EXISTS', 'NOT_EXISTS'],
  BANNER: ['EQUALS', 'NOT_EQUALS', 'CONTAINS'],
  CERTIFICATE_DAYS: ordered,
  DNS_RECORD: ['EQUALS', 'NOT_EQUALS', 'CONTAINS'],
  DOMAIN_DAYS: ordered,
}

export const MAX_CONDITION_TARGET = 512

export const Condition = Type.Object({
  type: OneOf(conditionTypes),
  comparator: OneOf(comparators),
  target: Type.String({ minLength: 1, maxLength: MAX_CONDITION_TARGET }),
})
export type Condition = Static<typeof Condition>

/** One step of a JSON path: a property of an object, or an index of an array. */
export type JsonStep = string | number

/** The text of an operand, and its number when the text is numeric. */
export interface Operand {
  text: string
  number: number | null
}

export type ConditionSubject =
  | { type: 'STATUS_CODE'; operand: Operand }
  | { type: 'RESPONSE_TIME'; operand: Operand }
  | { type: 'HEADER'; name: string; operand: Operand | null }
  | { type: 'JSON_PATH'; path: JsonStep[]; operand: Operand | null }
  | { type: 'BODY_CONTAINS'; operand: Operand }
  | { type: 'BANNER'; operand: Operand }
  | { type: 'CERTIFICATE_DAYS'; operand: Operand }
  | { type: 'DNS_RECORD'; operand: Operand }
  | { type: 'DOMAIN_DAYS'; operand: Operand }

export type ParsedCondition =
  | { ok: true; comparator: Condition['comparator']; subject: ConditionSubject }
  | { ok: false; field: 'comparator' | 'target'; message: string; expected?: readonly string[] }

const MAX_STEPS = 32
const MIN_STATUS = 100
const MAX_STATUS = 599
const MAX_RESPONSE_MS = 60_000
const MAX_DAYS = 10_000

export const parseCondition = ({ type, comparator, target }: Condition): ParsedCondition => {
  if (!comparatorsOf[type].includes(comparator)) {
    const expected = comparatorsOf[type]
    return { ok: false, field: 'comparator', message: `${type} has no ${comparator}`, expected }
  }
  const takesValue = comparator !== 'EXISTS' && comparator !== 'NOT_EXISTS'
  const subject = parsers[type](target, takesValue)
  if (typeof subject === 'string') return { ok: false, field: 'target', message: subject }
  const isOrder = comparator === 'GREATER_THAN' || comparator === 'LESS_THAN'
  if (isOrder && subject.operand?.number == null) {
    return { ok: false, field: 'target', message: `target must have a number for ${comparator}` }
  }
  return { ok: true, comparator, subject }
}

type Parse = (target: string, takesValue: boolean) => ConditionSubject | string

const parsers: Record<Condition['type'], Parse> = {
  STATUS_CODE: (target) =>
    isIntegerIn(target, MIN_STATUS, MAX_STATUS)
      ? { type: 'STATUS_CODE', operand: operandOf(target) }
      : `target must be an integer from ${MIN_STATUS} to ${MAX_STATUS}`,
  RESPONSE_TIME: (target) =>
    isIntegerIn(target, 0, MAX_RESPONSE_MS)
      ? { type: 'RESPONSE_TIME', operand: operandOf(target) }
      : `target must be an integer from 0 to ${MAX_RESPONSE_MS}`,
  HEADER: (target, takesValue) => parseHeader(target, takesValue),
  JSON_PATH: (target, takesValue) => parseJsonPath(target, takesValue),
  BODY_CONTAINS: (target) => ({
    type: 'BODY_CONTAINS',
    operand: { text: target, number: null },
  }),
  BANNER: (target) => ({ type: 'BANNER', operand: { text: target, number: null } }),
  DNS_RECORD: (target) => ({ type: 'DNS_RECORD', operand: { text: target, number: null } }),
  CERTIFICATE_DAYS: (target) => parseDays('CERTIFICATE_DAYS', target),
  DOMAIN_DAYS: (target) => parseDays('DOMAIN_DAYS', target),
}

const integer = /^(0|[1-9]\d*)$/
const decimal = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

const isIntegerIn = (text: string, minimum: number, maximum: number) =>
  integer.test(text) && Number(text) >= minimum && Number(text) <= maximum

/** Returns the number that a text denotes, or null. */
export const numberFromText = (text: string): number | null =>
  decimal.test(text) && Number.isFinite(Number(text)) ? Number(text) : null

const operandOf = (text: string): Operand => ({ text, number: numberFromText(text) })

const parseDays = (
  type: 'CERTIFICATE_DAYS' | 'DOMAIN_DAYS',
  target: string,
): ConditionSubject | string =>
  isIntegerIn(target, 0, MAX_DAYS)
    ? { type, operand: operandOf(target) }
    : `target must be an integer from 0 to ${MAX_DAYS}`

const parseHeader = (target: string, takesValue: boolean): ConditionSubject | string => {
  const colon = takesValue ? target.indexOf(':') : target.length
  if (colon === -1) return 'target must be "name: value"'
  const name = target.slice(0, colon)
  if (!headerName.test(name)) return 'target must begin with a header name'
  const operand = takesValue ? operandOf(target.slice(colon + 1).trimStart()) : null
  return { type: 'HEADER', name: name.toLowerCase(), operand }
}

const step = /\.([\p{L}_][\p{L}\p{Nd}_-]*)|\['((?:[^'\\]|\\['\\])*)'\]|\[(\d{1,5})\]/uy

const parseJsonPath = (target: string, takesValue: boolean): ConditionSubject | string => {
  if (!target.startsWith('$')) return 'target must begin with $'
  const path: JsonStep[] = []
  step.lastIndex = 1
  let end = 1
  for (let found = step.exec(target); found !== null; found = step.exec(target)) {
    const [, name, text, index] = found
    path.push(name ?? (index === undefined ? unescaped(text ?? '') : Number(index)))
    end = step.lastIndex
  }
  if (path.length > MAX_STEPS) return `target must have at most ${MAX_STEPS} steps`
  const rest = target.slice(end).trim()
  if (!takesValue) {
    return rest === '' ? { type: 'JSON_PATH', path, operand: null } : unexpected(rest)
  }
  if (!rest.startsWith('=')) return rest === '' ? 'target must be "path = value"' : unexpected(rest)
  return withValue(path, rest.slice(1).trimStart())
}

const withValue = (path: JsonStep[], value: string): ConditionSubject | string => {
  if (value === '') return 'target must have a value after ='
  if (!value.startsWith('"')) return { type: 'JSON_PATH', path, operand: operandOf(value) }
  try {
    return { type: 'JSON_PATH', path, operand: { text: String(JSON.parse(value)), number: null } }
  } catch {
    return 'target has a value in quotes that is not a JSON string'
  }
}

const unescaped = (text: string) => text.replace(/\\(['\\])/g, '$1')

const unexpected = (rest: string) => `target has an unexpected "${rest.slice(0, 20)}"`
