/** OpenAPI description of one operation: parameters, body, responses and errors. */
import {
  type BodyType,
  DEFAULT_BODY_LIMIT,
  type Deprecation,
  isAccountPage,
  type Operation,
  rateBucketOf,
  rateBuckets,
  requirementOfOperation,
} from '@status-page/contracts'
import { type Example, exampleConfiguration, exampleOf } from '@status-page/contracts/examples'
import { isEventStream } from '../edge/load-shedding.ts'
import { errorStatuses, errorsOf } from './errors.ts'
import {
  errorHeaders,
  headerParameters,
  isCached,
  notModifiedHeaders,
  successHeaders,
} from './headers.ts'
import type { JsonObject } from './schemas.ts'
import { structuredSchemas, YAML_TYPE } from './structured-schemas.ts'

type Convert = (schema: JsonObject) => JsonObject

const JSON_TYPE = 'application/json'

export const tagOf = ({ id }: Operation): string => id.slice(0, id.indexOf('.'))

export const describeOperation = (operation: Operation, convert: Convert): JsonObject => ({
  operationId: operation.id,
  tags: [tagOf(operation)],
  summary: operation.summary,
  ...(operation.deprecated === undefined ? {} : { deprecated: true }),
  description: descriptionOf(operation),
  ...securityOf(operation),
  ...parametersOf(operation, convert),
  ...bodyOf(operation, convert),
  responses: { ...successResponses(operation, convert), ...errorResponses(operation) },
})

const descriptionOf = (operation: Operation): string => {
  const bucket = rateBucketOf(operation)
  const facts = [
    `Requires ${requirementText(operation)}.`,
    `Rate limit: *${bucket}*${rateBuckets[bucket].excludesOtherBuckets ? '' : ' and *global*'}.`,
    ...(operation.body === undefined ? [] : [`Body: at most ${sizeOf(operation)}.`]),
    ...(operation.deprecated === undefined
      ? []
      : [
          `Deprecated since ${operation.deprecated.since}; may be removed from ` +
            `${operation.deprecated.sunset} on.`,
        ]),
  ]
  const rules = facts.map((fact) => `- ${fact}`).join('\n')
  return operation.description === undefined ? rules : `${operation.description}\n\n${rules}`
}

const requirementText = (operation: Operation): string => {
  const needed = requirementOfOperation(operation)
  if (needed !== null) return `\`${needed.permission}\` (role: \`${needed.right}\`)`
  return {
    public: 'no credential',
    signature: 'a signature or token of the sender',
    session: 'a login session; API keys are not accepted',
    caller: 'any credential',
  }[operation.permission as 'public']
}

const BYTES_PER_KIB = 1024

const sizeOf = ({ bodyLimit = DEFAULT_BODY_LIMIT }: Operation): string =>
  `${bodyLimit / BYTES_PER_KIB} KiB`

const securityOf = ({ permission }: Operation): JsonObject => {
  if (permission === 'public' || permission === 'signature') return { security: [] }
  return permission === 'session' ? { security: [{ session: [] }] } : {}
}

const parametersOf = (operation: Operation, convert: Convert): JsonObject => {
  const parameters = [
    ...parametersIn('path', operation.params, convert),
    ...parametersIn('query', operation.query, convert),
    ...headerParameters(operation),
  ]
  return parameters.length === 0 ? {} : { parameters }
}

const parametersIn = (where: 'path' | 'query', schema: Operation['query'], convert: Convert) =>
  Object.entries(schema?.properties ?? {}).map(([name, field]) => {
    const fieldSchema = field as JsonObject
    const { description, ...converted } = convert(fieldSchema)
    const isRequired =
      where === 'path' ||
      ((schema?.required ?? []).includes(name) && fieldSchema.default === undefined)
    return {
      name,
      in: where,
      required: isRequired,
      ...(description === undefined ? {} : { description }),
      ...(fieldSchema.style === undefined
        ? {}
        : { style: fieldSchema.style, explode: fieldSchema.explode }),
      schema: converted,
    }
  })

const mediaTypes: Readonly<Record<BodyType, string>> = {
  json: JSON_TYPE,
  yaml: YAML_TYPE,
  multipart: 'multipart/form-data',
  form: 'application/x-www-form-urlencoded',
  raw: JSON_TYPE,
  'raw-form': 'application/x-www-form-urlencoded',
  any: '*/*',
}

const bodyOf = (operation: Operation, convert: Convert): JsonObject => {
  const { body, bodyType = 'json' } = operation
  if (body === undefined) return {}
  const isRequired = ((body.required as string[] | undefined) ?? []).length > 0
  const schema = structuredSchemas[mediaTypes[bodyType]] ?? convert(body as JsonObject)
  const examples =
    bodyType === 'yaml' ? { example: exampleConfiguration } : bodyExamples(exampleOf(operation))
  const media = { schema, ...examples }
  return { requestBody: { required: isRequired, content: { [mediaTypes[bodyType]]: media } } }
}

const bodyExamples = ({ body, bodies }: Example): JsonObject => {
  if (bodies === undefined) return body === undefined ? {} : { example: body }
  const named = Object.entries(bodies).map(([summary, value], index) => [
    `example-${index + 1}`,
    { summary, value },
  ])
  return { examples: Object.fromEntries(named) }
}

/** Second success status of operations that have two. */
const additionalStatus: Readonly<Record<string, number>> = {
  'invitations.accept': 200,
  'pages.incident': 301,
  'account-pages.root': 303,
  'account-pages.account': 303,
  'account-pages.signIn': 303,
  'account-pages.code': 303,
  'account-pages.register': 303,
  'account-pages.confirmEmail': 303,
  'account-pages.newPage': 303,
  'account-pages.page': 303,
  'account-pages.alert': 303,
  'account-pages.draft': 303,
  'account-pages.twoFactor': 303,
  'account-pages.setUpTwoFactor': 303,
  'account-pages.confirmTwoFactor': 303,
  'account-pages.renewBackupCodes': 303,
}

const successResponses = (operation: Operation, convert: Convert): JsonObject => {
  const success = {
    description: operation.summary,
    headers: successHeaders(operation),
    content: contentOf(operation, convert),
  }
  const second = additionalStatus[operation.id]
  return {
    ...(second === undefined ? {} : { [second]: success }),
    [operation.status]: success,
    ...(isCached(operation)
      ? { 304: { description: 'Not modified', headers: notModifiedHeaders() } }
      : {}),
  }
}

/**
 * Content of a success response by type; only JSON has the schema of the reply, other formats are
 * strings.
 */
const contentOf = (operation: Operation, convert: Convert): JsonObject => {
  const [first = JSON_TYPE, ...others] = operation.produces ?? [JSON_TYPE]
  const { reply } = exampleOf(operation)
  return {
    [first]: {
      schema: structuredSchemas[first] ?? convert(operation.reply as JsonObject),
      ...(reply === undefined
        ? {}
        : { example: first === YAML_TYPE ? exampleConfiguration : reply }),
    },
    ...Object.fromEntries(
      others.map((type) => [type, { schema: structuredSchemas[type] ?? { type: 'string' } }]),
    ),
  }
}

const errorResponses = (operation: Operation): JsonObject =>
  Object.fromEntries(
    [...errorsOf(operation)].map(([status, names]) => {
      const isPage =
        isAccountPage(operation) || (showsErrorPage(operation) && pageStatuses.has(status))
      // Shared responses are JSON and lack the headers of deprecated operations.
      const isShared =
        !isPage &&
        operation.deprecated === undefined &&
        sharedResponseErrors[status]?.join() === names.join()
      return [
        status,
        isShared
          ? { $ref: `#/components/responses/${errorStatuses[status]?.name}` }
          : errorResponse(status, names, {
              pageType: isPage ? HTML_TYPE : null,
              deprecated: operation.deprecated,
            }),
      ]
    }),
  )

const HTML_TYPE = 'text/html'

/**
 * Returns whether errors are rendered as HTML. The event stream of a page has the errors of the
 * page.
 */
const showsErrorPage = (operation: Operation): boolean =>
  isEventStream(operation) ||
  (operation.service === 'core' && (operation.produces?.includes(HTML_TYPE) ?? false))

/**
 * Statuses of HTML errors of status pages; the gateway returns the other ones as JSON. All errors of
 * account pages are HTML.
 */
const pageStatuses: ReadonlySet<number> = new Set([400, 401, 404, 429])

interface ErrorResponseOptions {
  pageType?: string | null
  deprecated?: Deprecation | undefined
}

const errorResponse = (
  status: number,
  names: readonly string[],
  { pageType = null, deprecated }: ErrorResponseOptions = {},
): JsonObject => ({
  description: errorStatuses[status]?.meaning,
  headers: errorHeaders(status, deprecated),
  content: {
    [JSON_TYPE]: {
      schema: { $ref: '#/components/schemas/Error' },
      examples: Object.fromEntries(
        names.map((name) => [name, { $ref: `#/components/examples/${name}` }]),
      ),
    },
    ...(pageType === null ? {} : { [pageType]: { schema: { type: 'string' } } }),
  },
})

/** Errors of the shared responses by status; other combinations are written per operation. */
const sharedResponseErrors: Readonly<Record<number, readonly string[]>> = {
  400: ['Invalid'],
  401: ['Unauthorized'],
  403: ['MissingPermission', 'CrossSite', 'EnrolmentRequired'],
  404: ['NotFound'],
  409: ['KeyReused', 'AlreadyRunning'],
  413: ['TooLarge'],
  415: ['UnsupportedMediaType'],
  429: ['TooManyRequests'],
  431: ['HeadersTooLarge'],
  500: ['Internal'],
  502: ['BadGateway'],
  503: ['Unavailable'],
  504: ['Timeout'],
}

export const sharedResponses: JsonObject = Object.fromEntries(
  Object.entries(sharedResponseErrors).map(([status, names]) => [
    errorStatuses[Number(status)]?.name,
    errorResponse(Number(status), names),
  ]),
)
