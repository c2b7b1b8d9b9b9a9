/**
 * Conformance of exchanges with the OpenAPI document: the status, content type and schema of every
 * response that the API client of the tests receives must be documented.
 */
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

const DOCUMENT = new URL('../../packages/contracts/openapi.json', import.meta.url)
const MAX_SHOWN_CHARACTERS = 500

export interface RecordedExchange {
  method: string
  /** Path with query. */
  path: string
  status: number
  headers: Headers
  text: string
}

interface Media {
  schema?: object
}

interface ResponseObject {
  content?: Record<string, Media>
}

interface OperationObject {
  responses: Record<string, ResponseObject | { $ref: string }>
}

interface Document {
  paths: Record<string, Record<string, OperationObject>>
  components: { responses: Record<string, ResponseObject> }
}

const document: Document = JSON.parse(readFileSync(DOCUMENT, 'utf8'))

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(document, 'openapi')

/**
 * Routes with literal segments before parameters, so that `/components/bulk` precedes
 * `/components/{id}`.
 */
const routes = Object.entries(document.paths)
  .map(([template, methods]) => ({
    template,
    methods,
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  .toSorted((left, right) => parametersOf(left.template) - parametersOf(right.template))

function parametersOf(template: string): number {
  return template.split('{').length
}

/**
 * Returns the differences between an exchange and the document; none for an operation that is not
 * in the document.
 */
export const differencesOf = (exchange: RecordedExchange): string[] => {
  const { method, path, status, headers, text } = exchange
  const [target = ''] = path.split('?')
  const route = routes.find(({ pattern }) => pattern.test(target))
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
  const operation = route?.methods[verb]
  if (route === undefined || operation === undefined) return []
  const at = ['paths', route.template, verb, 'responses', String(status)]
  const response = resolveResponse(operation.responses[status], at)
  const label = `${method} ${route.template} responded with ${status}`
  if (response === null) return [`${label}: the status is not documented`]
  const type = headers.get('content-type')?.split(';')[0]?.trim() ?? null
  const isEmpty = text === '' && (method === 'HEAD' || response.value.content === undefined)
  if (isEmpty) return []
  const media = type === null ? undefined : response.value.content?.[type]
  if (type === null || media === undefined) return [`${label}: ${type} is not documented`]
  // Other tests validate these formats.
  const isValidatedElsewhere = type === 'application/yaml' || type === 'text/event-stream'
  if (media.schema === undefined || method === 'HEAD' || isValidatedElsewhere) return []
  const validate = validatorOf([...response.at, 'content', type, 'schema'])
  if (validate(isJson(type) ? JSON.parse(text) : text)) return []
  const errors = ajv.errorsText(validate.errors).slice(0, MAX_SHOWN_CHARACTERS)
  return [`${label}: ${errors} in ${text.slice(0, MAX_SHOWN_CHARACTERS)}`]
}

const isJson = (type: string): boolean => /^application\/(?:[\w.-]+\+)?json$/.test(type)

interface Resolved {
  value: ResponseObject
  /** JSON pointer segments of the response in the document. */
  at: readonly string[]
}

const resolveResponse = (
  response: OperationObject['responses'][string] | undefined,
  at: readonly string[],
): Resolved | null => {
  if (response === undefined) return null
  if (!('$ref' in response)) return { value: response, at }
  const name = response.$ref.split('/').at(-1) ?? ''
  const value = document.components.responses[name]
  return value === undefined ? null : { value, at: ['components', 'responses', name] }
}

const validators = new Map<string, ValidateFunction>()

const validatorOf = (at: readonly string[]): ValidateFunction => {
  const pointer = at.map((step) => encodeURIComponent(escapeSegment(step))).join('/')
  const known = validators.get(pointer)
  if (known !== undefined) return known
  const validate = ajv.compile({ $ref: `openapi#/${pointer}` })
  validators.set(pointer, validate)
  return validate
}

/** Escapes a segment of a JSON pointer (RFC 6901). */
const escapeSegment = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1')
