/** What an operation takes from a request, decoded and judged: any problem is a 400, of the path a 404. */

import type { TSchema } from '@sinclair/typebox'
import { type Issue, invalid, notFound, type Operation } from '@status-page/contracts'
import type { ReceivedBody } from './body.ts'
import { decoderOf, queryDecoderOf } from './decode.ts'
import { isMultipart } from './multipart.ts'
import { compile } from './validate.ts'

export interface RawInput {
  params: unknown
  /** The request's target, of which the text after `?` is read. */
  url: string
  body: ReceivedBody | undefined
  ifMatch: string | undefined
}

export interface Input {
  params: Record<string, unknown> | undefined
  query: Record<string, unknown> | undefined
  body: unknown
  /** The body's problems, those of the fields named aside: for fields that the handler judges. */
  issuesBeside(fields: readonly string[]): Issue[]
  ifMatch: number | null
}

type Section<Given, Value> = (given: Given) => { value: Value; issues: Issue[] }
type ReadBody = Pick<Input, 'issuesBeside'> & { value: unknown }

const noInput = () => ({ value: undefined, issues: [] })
const noBody = () => ({ value: undefined, issuesBeside: () => [] })
const versionTag = /^"(\d{1,15})"$/

/** By the operation's schemas; the result throws AppError and nothing else. */
export const inputReader = (operation: Operation): ((raw: RawInput) => Input) => {
  const readParams = operation.params === undefined ? noInput : paramsReader(operation.params)
  const readQuery = operation.query === undefined ? noInput : queryReader(operation.query)
  // The parts of a multipart body are judged by who reads them.
  const readBody =
    operation.body === undefined || isMultipart(operation) ? noBody : bodyReader(operation.body)
  const judgedLater = operation.judgedLater ?? []
  const readVersion = operation.method === 'GET' ? () => null : versionOf
  return (raw) => {
    const params = readParams(raw.params)
    const ifMatch = readVersion(raw.ifMatch)
    const query = readQuery(raw.url)
    const { value, issuesBeside } = readBody(raw.body)
    const [first, ...others] = [...query.issues, ...issuesBeside(judgedLater)]
    if (first !== undefined) throw invalid(first, ...others)
    return { params, query: query.value, body: value, issuesBeside, ifMatch }
  }
}

const paramsReader = (schema: TSchema) => {
  const decode = decoderOf(schema)
  const judge = compile(schema, 'path')
  return (params: unknown) => {
    const decoded = decode(params) as Record<string, string>
    const isText = Object.values(decoded).every(
      (text) => text.isWellFormed() && !text.includes('\0'),
    )
    if (!isText || judge(decoded).length > 0) throw notFound()
    return decoded
  }
}

const queryReader = (schema: TSchema): Section<string, Record<string, unknown>> => {
  const decode = queryDecoderOf(schema)
  const judge = compile(schema, 'query')
  return (url) => {
    const start = url.indexOf('?')
    const value = decode(start === -1 ? '' : url.slice(start + 1))
    const issues = judge(value)
    return { value, issues: issues.length > 0 ? issues : issuesOfRange(value) }
  }
}

const issuesOfRange = ({ from, to }: Record<string, unknown>): Issue[] =>
  typeof from === 'string' && typeof to === 'string' && from > to
    ? [{ field: 'from', message: 'from must not be after to' }]
    : []

const bodyReader = (schema: TSchema) => {
  const decode = decoderOf(schema)
  const decodeForm = queryDecoderOf(schema)
  const judge = compile(schema, 'body')
  return (body: ReceivedBody | undefined): ReadBody => {
    if (body === undefined && schema.type !== 'object') {
      const issues = [{ field: 'body', message: 'body is required' }]
      return { value: undefined, issuesBeside: () => issues }
    }
    const value =
      body?.kind === 'form' ? decodeForm(String(body.value)) : decode(body?.value ?? emptyOf(body))
    return { value, issuesBeside: (fields) => judge(without(value, fields)) }
  }
}

const without = (value: unknown, fields: readonly string[]): unknown => {
  if (fields.length === 0 || !isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !fields.includes(name)))
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** No body at all has no fields; a JSON `null` stays one. */
const emptyOf = (body: ReceivedBody | undefined) => (body === undefined ? {} : body.value)

const versionOf = (ifMatch: string | undefined): number | null => {
  if (ifMatch === undefined) return null
  const [, version] = versionTag.exec(ifMatch) ?? []
  if (version === undefined) {
    throw invalid({ field: 'If-Match', message: 'If-Match must be a version in quotes, as "3"' })
  }
  return Number(version)
}
