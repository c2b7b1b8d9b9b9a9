/**
 * Input of an operation from a request, decoded and validated: a problem is a 400, one of the path
 * a 404.
 */
import type { TSchema } from '@sinclair/typebox'
import {
  type Cooperative,
  comparisonIssue,
  type Issue,
  invalid,
  MAX_ISSUES,
  notFound,
  type Operation,
  throwIssues,
} from '@status-page/contracts'
import type { ReceivedBody } from './body.ts'
import { listsReader, type ValidatedLists } from './body-parts.ts'
import { compileDecoder, compileQueryDecoder } from './decode.ts'
import { isMultipart } from './multipart.ts'
import { runCooperatively, runToEnd } from './run-cooperatively.ts'
import { compileValidator } from './validate.ts'

export interface RawInput {
  params: unknown
  /** Target of the request; the text after `?` is read. */
  url: string
  body: ReceivedBody | undefined
  ifMatch: string | undefined
}

export interface Input {
  params: Record<string, unknown> | undefined
  query: Record<string, unknown> | undefined
  body: unknown
  /** Problems of the body except those of these fields, which the handler validates. */
  issuesExcept(fields: readonly string[]): Issue[]
  ifMatch: number | null
}

type Section<Given, Value> = (given: Given) => { value: Value; issues: Issue[] }
type ReadBody = Pick<Input, 'issuesExcept'> & { value: unknown }

const noInput = () => ({ value: undefined, issues: [] })
function* noBody(): Cooperative<ReadBody> {
  return { value: undefined, issuesExcept: () => [] }
}

/** Size above which bodies are decoded and validated cooperatively. */
const LARGE_BYTES = 64 * 1024
const versionTag = /^"(\d{1,15})"$/

/** Reads input by the operation's schemas; the returned function throws only AppError. */
export const inputReader = (operation: Operation): ((raw: RawInput) => Input) => {
  const readInput = slicedReader(operation)
  return (raw) => runToEnd(readInput(raw))
}

/** Reads input like `inputReader`, cooperatively for a large body. */
export const largeInputReader = (operation: Operation) => {
  const readInput = slicedReader(operation)
  return (raw: RawInput): Input | Promise<Input> =>
    (raw.body?.bytes.length ?? 0) > LARGE_BYTES
      ? runCooperatively(readInput(raw))
      : runToEnd(readInput(raw))
}

const slicedReader = (operation: Operation): ((raw: RawInput) => Cooperative<Input>) => {
  const readParams = operation.params === undefined ? noInput : paramsReader(operation.params)
  const readQuery = operation.query === undefined ? noInput : queryReader(operation.query)
  // The handler validates the parts of a multipart body.
  const readBody =
    operation.body === undefined || isMultipart(operation) ? noBody : bodyReader(operation.body)
  const validatedLater = operation.validatedLater ?? []
  const readVersion = operation.method === 'GET' ? () => null : versionOf
  return function* (raw): Cooperative<Input> {
    const params = readParams(raw.params)
    const ifMatch = readVersion(raw.ifMatch)
    const query = readQuery(raw.url)
    const { value, issuesExcept } = yield* readBody(raw.body)
    throwIssues([...query.issues, ...issuesExcept(validatedLater)])
    return { params, query: query.value, body: value, issuesExcept, ifMatch }
  }
}

const paramsReader = (schema: TSchema) => {
  const decode = compileDecoder(schema)
  const validate = compileValidator(schema, 'path')
  return (params: unknown) => {
    const decoded = decode(params) as Record<string, string>
    const isText = Object.values(decoded).every(
      (text) => text.isWellFormed() && !text.includes('\0'),
    )
    if (!isText || validate(decoded).length > 0) throw notFound()
    return decoded
  }
}

const queryReader = (schema: TSchema): Section<string, Record<string, unknown>> => {
  const decode = compileQueryDecoder(schema)
  const validate = compileValidator(schema, 'query')
  return (url) => {
    const start = url.indexOf('?')
    const value = decode(start === -1 ? '' : url.slice(start + 1))
    const issues = validate(value)
    return { value, issues: issues.length > 0 ? issues : issuesOfRange(value) }
  }
}

const issuesOfRange = ({ from, to }: Record<string, unknown>): Issue[] =>
  typeof from === 'string' && typeof to === 'string' && from > to
    ? [comparisonIssue('from', 'notAfter', 'to')]
    : []

const bodyReader = (schema: TSchema) => {
  const decode = compileDecoder(schema)
  const decodeForm = compileQueryDecoder(schema)
  const validate = compileValidator(schema, 'body')
  const readLists = listsReader(schema)
  return function* (body: ReceivedBody | undefined): Cooperative<ReadBody> {
    if (body === undefined && schema.type !== 'object') {
      const issues = [{ field: 'body', message: 'body is required' }]
      return { value: undefined, issuesExcept: () => issues }
    }
    if (readLists && body?.kind === 'json' && isRecord(body.value) && isLarge(body)) {
      const validated = yield* readLists(body.value)
      return joined(decode({ ...body.value, ...emptied(validated) }), validated, validate)
    }
    const value =
      body?.kind === 'form' ? decodeForm(String(body.value)) : decode(body?.value ?? emptyOf(body))
    return { value, issuesExcept: (fields) => validate(without(value, fields)) }
  }
}

const isLarge = ({ bytes }: ReceivedBody) => bytes.length > LARGE_BYTES

const emptied = ({ lists }: ValidatedLists) =>
  Object.fromEntries(Object.keys(lists).map((name) => [name, []]))

/** Merges the body with its long lists, which are validated already. */
const joined = (
  rest: unknown,
  { lists, issues }: ValidatedLists,
  validate: (value: unknown) => Issue[],
): ReadBody => ({
  value: { ...(rest as object), ...lists },
  issuesExcept: (fields) => {
    const ofLists = issues.filter(({ list }) => !fields.includes(list))
    const named = ofLists.map(({ list: _list, ...issue }) => issue)
    return [...validate(without(rest, fields)), ...named].slice(0, MAX_ISSUES)
  },
})

const without = (value: unknown, fields: readonly string[]): unknown => {
  if (fields.length === 0 || !isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !fields.includes(name)))
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value of an absent body, an object without fields; a JSON `null` stays null. */
const emptyOf = (body: ReceivedBody | undefined) => (body === undefined ? {} : body.value)

const versionOf = (ifMatch: string | undefined): number | null => {
  if (ifMatch === undefined) return null
  const [, version] = versionTag.exec(ifMatch) ?? []
  if (version === undefined) {
    throw invalid({ field: 'If-Match', message: 'If-Match must be a version in quotes, as "3"' })
  }
  return Number(version)
}
