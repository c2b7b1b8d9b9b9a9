/** Whether an answer is what a component's conditions ask for: pure, one row of results each. */
import {
  type Comparator,
  type Condition,
  type ConditionResult,
  type ConditionSubject,
  type JsonStep,
  numberOf,
  type Operand,
  parseCondition,
} from '@status-page/contracts'

export interface Answer {
  statusCode: number
  responseMs: number
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: Buffer
}

export type Verdict = 'SUCCESS' | 'DEGRADED' | 'FAILURE'

const MAX_ACTUAL_CHARACTERS = 200
const FIRST_SUCCESS = 200
const FIRST_FAILURE = 400

/** Without conditions 200 to 399 is success; if only RESPONSE_TIME failed, it is degraded. */
export const evaluate = (
  conditions: readonly Condition[],
  answer: Answer,
): { verdict: Verdict; results: ConditionResult[] } => {
  if (conditions.length === 0) {
    const isFine = answer.statusCode >= FIRST_SUCCESS && answer.statusCode < FIRST_FAILURE
    return { verdict: isFine ? 'SUCCESS' : 'FAILURE', results: [] }
  }
  const lazy = lazily(answer)
  const results = conditions.map((condition) => resultOf(condition, lazy))
  const failed = results.filter(({ passed }) => !passed)
  if (failed.length === 0) return { verdict: 'SUCCESS', results }
  const isOnlySlow = failed.every(({ type }) => type === 'RESPONSE_TIME')
  return { verdict: isOnlySlow ? 'DEGRADED' : 'FAILURE', results }
}

/** What a condition compares; `undefined` where the answer has no such thing. */
type Found = unknown

interface LazyAnswer extends Omit<Answer, 'body'> {
  text(): string
  json(): Found
}

const resultOf = (condition: Condition, answer: LazyAnswer): ConditionResult => {
  const parsed = parseCondition(condition)
  // Judged when it was stored; a grammar that grew stricter since must not crash the check.
  if (!parsed.ok) return { ...condition, actual: null, passed: false }
  const { subject, comparator } = parsed
  if (subject.type === 'BODY_CONTAINS') {
    const passed = bodyComparisons[comparator](answer.text(), subject.operand.text)
    return { ...condition, actual: null, passed }
  }
  const found = find(subject, answer)
  const isOrder = comparator === 'GREATER_THAN' || comparator === 'LESS_THAN'
  // A header can only spell its number; a JSON string is none.
  const value = isOrder && subject.type === 'HEADER' ? numberOf(String(found)) : found
  const passed = compare(comparator, value, subject.operand)
  return { ...condition, actual: found === undefined ? null : clip(textOf(found)), passed }
}

const find = (
  subject: Exclude<ConditionSubject, { type: 'BODY_CONTAINS' }>,
  answer: LazyAnswer,
): Found => {
  switch (subject.type) {
    case 'STATUS_CODE':
      return answer.statusCode
    case 'RESPONSE_TIME':
      return answer.responseMs
    case 'HEADER':
      return Object.hasOwn(answer.headers, subject.name) ? answer.headers[subject.name] : undefined
    case 'JSON_PATH':
      return walk(answer.json(), subject.path)
  }
}

/** What is missing fails every comparison but NOT_EXISTS. */
const compare = (comparator: Comparator, found: Found, operand: Operand | null): boolean => {
  if (comparator === 'NOT_EXISTS') return found === undefined
  if (found === undefined) return false
  return operand === null ? comparator === 'EXISTS' : comparisons[comparator](found, operand)
}

const comparisons: Record<Comparator, (found: Found, operand: Operand) => boolean> = {
  EQUALS: (found, operand) => equals(found, operand),
  NOT_EQUALS: (found, operand) => !equals(found, operand),
  GREATER_THAN: (found, operand) => differenceOf(found, operand) > 0,
  LESS_THAN: (found, operand) => differenceOf(found, operand) < 0,
  CONTAINS: (found, operand) =>
    Array.isArray(found)
      ? found.some((element) => equals(element, operand))
      : textOf(found).includes(operand.text),
  EXISTS: () => true,
  NOT_EXISTS: () => false,
}

const bodyComparisons: Record<Comparator, (body: string, text: string) => boolean> = {
  CONTAINS: (body, text) => body.includes(text),
  EXISTS: (body, text) => body.includes(text),
  NOT_EQUALS: (body, text) => !body.includes(text),
  NOT_EXISTS: (body, text) => !body.includes(text),
  EQUALS: (body, text) => body === text,
  GREATER_THAN: () => false,
  LESS_THAN: () => false,
}

const equals = (found: Found, operand: Operand): boolean =>
  typeof found === 'number' && operand.number !== null
    ? found === operand.number
    : textOf(found) === operand.text

/** NaN, which is neither above nor below, unless both are numbers. */
const differenceOf = (found: Found, operand: Operand): number =>
  typeof found === 'number' && operand.number !== null ? found - operand.number : Number.NaN

/** Strings as themselves, the rest as compact JSON. */
const textOf = (found: Found): string => {
  if (typeof found === 'string') return found
  try {
    return JSON.stringify(found)
  } catch {
    // Nested deeper than the stack.
    return ''
  }
}

/** Own properties of objects and elements of arrays, nothing else. */
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

/** Also without what Postgres takes for no text: NUL, and halves of surrogate pairs. */
const clip = (text: string): string =>
  [
    ...text
      .slice(0, 2 * MAX_ACTUAL_CHARACTERS)
      .toWellFormed()
      .replaceAll('\0', '\ufffd'),
  ]
    .slice(0, MAX_ACTUAL_CHARACTERS)
    .join('')

/** Decodes and parses the body once, and only if a condition asks. */
const lazily = ({ body, ...answer }: Answer): LazyAnswer => {
  let text: string | null = null
  let json: { value: Found } | null = null
  const lazy: LazyAnswer = {
    ...answer,
    text() {
      text ??= body.toString('utf8')
      return text
    },
    json() {
      json ??= { value: parsed(lazy.text()) }
      return json.value
    },
  }
  return lazy
}

const parsed = (text: string): Found => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
