/** The OpenAPI document of the whole API, made of the list of operations and nothing else. */
import {
  type BodyType,
  bucketOf,
  callersOf,
  errorCodes,
  fullPath,
  type Operation,
  operations,
  requirement,
} from '@status-page/contracts'
import { createConverter, type Json } from './schemas.ts'

type Convert = (schema: Json) => Json

/** The API as it is reached through the gateway; what services ask each other is no part of it. */
export const openApiDocument = (): Json => {
  const { components, convert } = createConverter()
  const listed = operations.filter((one) => callersOf(one).includes('gateway'))
  const paths: Record<string, Record<string, Json>> = {}
  for (const one of listed) {
    const path = fullPath(one)
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operationOf(one, convert) }
  }
  const tags = [...new Set(listed.map(tagOf))].map((name) => ({
    name,
    description: `Operations on ${name}`,
  }))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Status Page Service',
      version: '1.0.0',
      description: 'Status pages and incident communication: one API for both.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/', description: 'This installation' }],
    security: [{ apiKey: [] }, { session: [] }],
    tags,
    paths,
    components: {
      securitySchemes,
      headers: rateHeaders,
      responses: errorResponses,
      schemas: { Error: errorSchema, ...sorted(components) },
    },
  }
}

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key: sk_live_ and 43 characters',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-session',
    description: 'Set by login; named session where the installation is served over http',
  },
}

const integerHeader = (description: string) => ({ description, schema: { type: 'integer' } })

const rateHeaders = {
  'X-RateLimit-Limit': integerHeader('Requests a window of the tightest bucket'),
  'X-RateLimit-Remaining': integerHeader('Requests left in it'),
  'X-RateLimit-Reset': integerHeader('Unix second at which its oldest request leaves the window'),
  'Retry-After': integerHeader('Seconds to wait'),
}

const refer = (kind: 'headers' | 'responses' | 'schemas', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
})

const limitHeaders = Object.fromEntries(
  ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'].map((name) => [
    name,
    refer('headers', name),
  ]),
)

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', enum: errorCodes },
        message: { type: 'string' },
        details: { type: 'object', additionalProperties: true },
      },
    },
  },
}

/** Status → name and meaning; the name is that of the component. */
const errors: Readonly<Record<number, readonly [string, string]>> = {
  400: ['Invalid', 'Bad body, query or header'],
  401: ['Unauthorized', 'No valid credential'],
  403: ['Forbidden', 'A permission is missing, or the request comes from another site'],
  404: ['NotFound', 'Unknown id or path'],
  409: ['Conflict', 'Duplicate, or the state does not allow it'],
  413: ['TooLarge', 'The body is above its size'],
  415: ['UnsupportedMediaType', 'The Content-Type or Content-Encoding is not taken'],
  429: ['TooManyRequests', 'A rate limit is exceeded'],
  500: ['Internal', 'Unexpected fault'],
  502: ['BadGateway', 'An inner service gave no usable answer'],
  503: ['Unavailable', 'An inner service is down or full'],
  504: ['Timeout', 'No answer in time; the outcome is unknown'],
}

const errorResponses = Object.fromEntries(
  Object.entries(errors).map(([status, [name, description]]) => [
    name,
    {
      description,
      headers:
        status === '429' || status === '503'
          ? { ...limitHeaders, 'Retry-After': refer('headers', 'Retry-After') }
          : limitHeaders,
      content: { 'application/json': { schema: refer('schemas', 'Error') } },
    },
  ]),
)

const tagOf = ({ id }: Operation): string => id.slice(0, id.indexOf('.'))

const operationOf = (one: Operation, convert: Convert): Json => ({
  operationId: one.id,
  tags: [tagOf(one)],
  summary: one.summary,
  description: descriptionOf(one),
  ...securityOf(one),
  ...parametersOf(one, convert),
  ...bodyOf(one, convert),
  responses: responsesOf(one, convert),
})

const descriptionOf = (one: Operation): string => {
  const needed = requirement(one)
  const rule =
    needed === null
      ? { public: 'Needs no credential.', session: 'Needs a login session.' }[
          one.permission as string
        ]
      : `Needs the permission \`${needed.permission}\` (of a role: \`${needed.right}\`).`
  return [one.description, rule, `Rate bucket: ${bucketOf(one)}.`]
    .filter((sentence) => sentence !== undefined)
    .join(' ')
}

const securityOf = ({ permission }: Operation): Json => {
  if (permission === 'public' || permission === 'signature') return { security: [] }
  return permission === 'session' ? { security: [{ session: [] }] } : {}
}

const parametersOf = (one: Operation, convert: Convert): Json => {
  const parameters = [
    ...parametersIn('path', one.params, convert),
    ...parametersIn('query', one.query, convert),
    ...(takesIdempotencyKey(one) ? [idempotencyKey] : []),
  ]
  return parameters.length === 0 ? {} : { parameters }
}

const parametersIn = (where: 'path' | 'query', schema: Operation['query'], convert: Convert) =>
  Object.entries(schema?.properties ?? {}).map(([name, field]) => {
    const given = field as Json
    const { description, ...converted } = convert(given)
    const isRequired =
      where === 'path' || ((schema?.required ?? []).includes(name) && given.default === undefined)
    return {
      name,
      in: where,
      required: isRequired,
      ...(description === undefined ? {} : { description }),
      ...(given.style === undefined ? {} : { style: given.style, explode: given.explode }),
      schema: converted,
    }
  })

const takesIdempotencyKey = (one: Operation): boolean =>
  one.method === 'POST' && one.idempotencyKey !== false && requirement(one) !== null

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key and body within 24 h give the stored answer',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
}

const mediaTypes: Readonly<Record<BodyType, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  multipart: 'multipart/form-data',
  form: 'application/x-www-form-urlencoded',
  raw: 'application/octet-stream',
}

const bodyOf = ({ body, bodyType = 'json' }: Operation, convert: Convert): Json => {
  if (body === undefined) return {}
  const isRequired = ((body.required as string[] | undefined) ?? []).length > 0
  const content = { [mediaTypes[bodyType]]: { schema: convert(body as Json) } }
  return { requestBody: { required: isRequired, content } }
}

const responsesOf = (one: Operation, convert: Convert): Json => {
  const types = one.produces ?? ['application/json']
  const schema = convert(one.reply as Json)
  const success = {
    description: one.summary,
    headers: limitHeaders,
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  }
  const failures = statusesOf(one).map((status) => [
    status,
    refer('responses', errors[status]?.[0] ?? 'Internal'),
  ])
  return { [one.status]: success, ...Object.fromEntries(failures) }
}

const statusesOf = (one: Operation): number[] => {
  const isOpen = one.permission === 'public' || one.permission === 'signature'
  const takesInput = one.body !== undefined || one.query !== undefined
  const isWrite = one.method !== 'GET'
  return [
    ...(takesInput ? [400] : []),
    ...(isOpen && one.id !== 'auth.login' ? [] : [401]),
    ...(isOpen && !one.id.startsWith('auth.') ? [] : [403]),
    ...(one.params === undefined ? [] : [404]),
    ...(isWrite ? [409] : []),
    ...(one.body === undefined ? [] : [413, 415]),
    429,
    500,
    ...(one.service === 'gateway' ? [503] : [502, 503, 504]),
  ]
}

const sorted = (components: Record<string, Json>) =>
  Object.fromEntries(
    Object.entries(components).sort(([left], [right]) => left.localeCompare(right)),
  )
