/**
 * Evaluates the conditions of a component against a response. Pure; returns one result per
 * condition.
 */
import {
  type Comparator,
  type Condition,
  type ConditionResult,
  type ConditionSubject,
  type JsonStep,
  numberFromText,
  type Operand,
  type ParsedCondition,
  parseCondition,
} from '@status-page/contracts'
import { parseUntrustedJson, StepBudget, StepBudgetError } from '@status-page/outbound'
import { ArrayElements } from './elements.ts'
import { jsonText } from './json-text.ts'
import { containsText } from './substring.ts'

/** Values that a check measured; those that its kind does not measure are absent. */
export interface ProbeResponse {
  responseMs?: number
  statusCode?: number
  /** Header names are in lower case. */
  headers?: Readonly<Record<string, string>>
  body?: Buffer
  /** Text of a TCP server. */
  banner?: string
  /** Whole days until the certificate expires. */
  certificateDays?: number | undefined
  /** Whole days until the registration of the domain expires. */
  domainDays?: number
  /** Data of DNS records. */
  records?: readonly string[]
}

export type ConditionVerdict = 'SUCCESS' | 'DEGRADED' | 'FAILURE'

const MAX_ACTUAL_CHARACTERS = 200
const FIRST_SUCCESS = 200
const FIRST_FAILURE = 400

/**
 * Maximum steps of one evaluation, about 16 ms: enough for twenty conditions on a usual response of
 * 1 MiB. An evaluation that exceeds it fails with `too_complex`, so that one target cannot delay
 * others.
 */
const MAX_STEPS = 8_000_000

export interface ConditionsEvaluation {
  verdict: ConditionVerdict
  results: ConditionResult[]
  /** Set when the evaluation was aborted; results are empty then. */
  error: 'too_complex' | null
}

/**
 * Evaluates all conditions. Without conditions, a response is success, of HTTP one with status 200
 * to 399. When only RESPONSE_TIME fails, the status is degraded.
 */
export const evaluate = (
  conditions: readonly Condition[],
  response: ProbeResponse,
): ConditionsEvaluation => {
  if (conditions.length === 0) {
    const { statusCode = FIRST_SUCCESS } = response
    const isFine = statusCode >= FIRST_SUCCESS && statusCode < FIRST_FAILURE
    return { verdict: isFine ? 'SUCCESS' : 'FAILURE', results: [], error: null }
  }
  try {
    const results = resultsOf(conditions, response)
    return { verdict: verdictOf(results), results, error: null }
  } catch (error) {
    if (!(error instanceof StepBudgetError)) throw error
    return { verdict: 'FAILURE', results: [], error: 'too_complex' }
  }
}

const verdictOf = (results: readonly ConditionResult[]): ConditionVerdict => {
  const failed = results.filter(({ passed }) => !passed)
  if (failed.length === 0) return 'SUCCESS'
  return failed.every(({ type }) => type === 'RESPONSE_TIME') ? 'DEGRADED' : 'FAILURE'
}

const resultsOf = (
  conditions: readonly Condition[],
  response: ProbeResponse,
): ConditionResult[] => {
  const budget = new StepBudget(MAX_STEPS)
  const parsed = conditions.map((condition) => ({ condition, parsed: parseCondition(condition) }))
  const operands = parsed.flatMap(({ parsed: one }) =>
    one.ok && one.comparator === 'CONTAINS' && one.subject.type === 'JSON_PATH'
      ? (one.subject.operand ?? [])
      : [],
  )
  const lazy = lazily(response, budget, operands)
  return parsed.map((one) => resultOf(one, lazy))
}

/** Value that a condition compares; `undefined` when the response does not contain it. */
type Found = unknown

interface LazyResponse extends Omit<ProbeResponse, 'body'> {
  budget: StepBudget
  elements: ArrayElements
  text(): string
  json(): Found
}

const resultOf = (
  { condition, parsed }: { condition: Condition; parsed: ParsedCondition },
  response: LazyResponse,
): ConditionResult => {
  // The condition was validated when it was stored; a grammar that became stricter since must not
  // crash the check.
  if (!parsed.ok) return { ...condition, actual: null, passed: false }
  const { subject, comparator } = parsed
  if (subject.type === 'BODY_CONTAINS') {
    const passed = bodyComparisons[comparator](response, subject.operand.text)
    return { ...condition, actual: null, passed }
  }
  if (subject.type === 'DNS_RECORD') {
    const { records = [] } = response
    const passed = recordComparisons[comparator](records, subject.operand.text)
    return { ...condition, actual: clip(records.join(', ')), passed }
  }
  const found = find(subject, response)
  const isOrder = comparator === 'GREATER_THAN' || comparator === 'LESS_THAN'
  // A header value is parsed as a number; a JSON string is not.
  const value = isOrder && subject.type === 'HEADER' ? numberFromText(String(found)) : found
  const passed = compare(comparator, value, subject.operand, response)
  return { ...condition, actual: found === undefined ? null : actualOf(found, response), passed }
}

const find = (
  subject: Exclude<ConditionSubject, { type: 'BODY_CONTAINS' | 'DNS_RECORD' }>,
  response: LazyResponse,
): Found => {
  switch (subject.type) {
    case 'STATUS_CODE':
      return response.statusCode
    case 'RESPONSE_TIME':
      return response.responseMs
    case 'HEADER': {
      const { headers = {} } = response
      return Object.hasOwn(headers, subject.name) ? headers[subject.name] : undefined
    }
    case 'JSON_PATH':
      return walk(response.json(), subject.path)
    case 'BANNER':
      return response.banner
    case 'CERTIFICATE_DAYS':
      return response.certificateDays
    case 'DOMAIN_DAYS':
      return response.domainDays
  }
}

/** Compares a value with the operand. A missing value fails every comparator except NOT_EXISTS. */
const compare = (
  comparator: Comparator,
  found: Found,
  operand: Operand | null,
  response: LazyResponse,
): boolean => {
  if (comparator === 'NOT_EXISTS') return found === undefined
  if (found === undefined) return false
  return operand === null
    ? comparator === 'EXISTS'
    : comparisons[comparator](found, operand, response)
}

type Comparison = (found: Found, operand: Operand, response: LazyResponse) => boolean

const comparisons: Record<Comparator, Comparison> = {
  EQUALS: (found, operand, response) => equals(found, operand, response),
  NOT_EQUALS: (found, operand, response) => !equals(found, operand, response),
  GREATER_THAN: (found, operand) => differenceOf(found, operand) > 0,
  LESS_THAN: (found, operand) => differenceOf(found, operand) < 0,
  CONTAINS: (found, operand, response) =>
    Array.isArray(found)
      ? response.elements.contains(found, operand)
      : containsText(
          textOf(found, Number.MAX_SAFE_INTEGER, response),
          operand.text,
          response.budget,
        ),
  EXISTS: () => true,
  NOT_EXISTS: () => false,
}

const bodyContains = ({ text, budget }: LazyResponse, part: string): boolean =>
  containsText(text(), part, budget)

const bodyComparisons: Record<Comparator, (response: LazyResponse, text: string) => boolean> = {
  CONTAINS: bodyContains,
  EXISTS: bodyContains,
  NOT_EQUALS: (response, text) => !bodyContains(response, text),
  NOT_EXISTS: (response, text) => !bodyContains(response, text),
  EQUALS: (response, text) => response.text() === text,
  GREATER_THAN: () => false,
  LESS_THAN: () => false,
}

/** Whether any record matches, or for NOT_EQUALS none; the grammar admits three comparators. */
const recordComparisons: Record<Comparator, (records: readonly string[], text: string) => boolean> =
  {
    EQUALS: (records, text) => records.includes(text),
    NOT_EQUALS: (records, text) => !records.includes(text),
    CONTAINS: (records, text) => records.some((record) => record.includes(text)),
    EXISTS: () => false,
    NOT_EXISTS: () => false,
    GREATER_THAN: () => false,
    LESS_THAN: () => false,
  }

const equals: Comparison = (found, operand, response) =>
  typeof found === 'number' && operand.number !== null
    ? found === operand.number
    : textOf(found, operand.text.length + 1, response) === operand.text

/** Difference of two numbers; NaN, which is neither above nor below, unless both are numbers. */
const differenceOf = (found: Found, operand: Operand): number =>
  typeof found === 'number' && operand.number !== null ? found - operand.number : Number.NaN

/** Text of a value: strings unchanged, other values as compact JSON, cut to `maxCharacters`. */
const textOf = (found: Found, maxCharacters: number, { budget }: LazyResponse): string =>
  typeof found === 'string' ? found : jsonText(found, maxCharacters, budget)

const actualOf = (found: Found, response: LazyResponse): string =>
  clip(textOf(found, 2 * MAX_ACTUAL_CHARACTERS, response))

/** Follows a path through own properties of objects and elements of arrays. */
const walk = (value: Found, path: readonly JsonStep[]): Found => {
  let current = value
  for (const step of path) {
    if (typeof current !== 'object' || current === null) return undefined
    if (Array.isArray(current) !== (typeof step === 'number')) return undefined
    if (!Object.hasOwn(current, step)) return undefined
    current = (current as Record<JsonStep, unknown>)[step]
  }
  return current
}

/** Removes what Postgres rejects in text: NUL and unpaired surrogates. */
const clip = (text: string): string =>
  [
    ...text
      .slice(0, 2 * MAX_ACTUAL_CHARACTERS)
      .toWellFormed()
      .replaceAll('\0', '\ufffd'),
  ]
    .slice(0, MAX_ACTUAL_CHARACTERS)
    .join('')

/** Decodes and parses the body on first use. */
const lazily = (
  { body, ...response }: ProbeResponse,
  budget: StepBudget,
  operands: readonly Operand[],
): LazyResponse => {
  let text: string | null = null
  let json: { value: Found } | null = null
  const lazy: LazyResponse = {
    ...response,
    budget,
    elements: new ArrayElements(operands, budget),
    text() {
      text ??= body?.toString('utf8') ?? ''
      return text
    },
    json() {
      json ??= { value: parseUntrustedJson(lazy.text(), budget) }
      return json.value
    },
  }
  return lazy
}
