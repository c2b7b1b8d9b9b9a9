/** Request and response headers in the OpenAPI document, and the operations that have them. */
import {
  type Deprecation,
  type Operation,
  requirementOfOperation,
  takesIdempotencyKey,
} from '@status-page/contracts'
import { isEventStream, isPageRead } from '../edge/load-shedding.ts'
import type { JsonObject } from './schemas.ts'

const textHeader = (description: string) => ({ description, schema: { type: 'string' } })
const integerHeader = (description: string) => ({ description, schema: { type: 'integer' } })

export const headerComponents = {
  'x-request-id': textHeader('Request id from the request, or a random UUID'),
  'X-RateLimit-Limit': integerHeader(
    'Requests per window of the bucket with the fewest requests left',
  ),
  'X-RateLimit-Remaining': integerHeader('Requests left in the window of that bucket'),
  'X-RateLimit-Reset': integerHeader(
    'Unix time in seconds at which the oldest request leaves the window',
  ),
  'Retry-After': integerHeader('Seconds to wait, at least 1'),
  'WWW-Authenticate': textHeader('`Bearer`'),
  'Idempotent-Replayed': textHeader('`true` for the stored response to an earlier request'),
  'Set-Cookie': textHeader(
    'Cookie of the session or of the access to a page; HttpOnly and SameSite=Lax',
  ),
  ETag: textHeader('Version of the content, for If-None-Match'),
  'Cache-Control': textHeader('Cache lifetime of the response'),
  Location: textHeader('Target of the redirect'),
  Deprecation: textHeader(
    '`@` and the Unix time in seconds since when the operation is deprecated',
  ),
  Sunset: textHeader('Date from which the operation may be removed, as an HTTP date'),
} as const

type HeaderName = keyof typeof headerComponents

const onEveryResponse = [
  'x-request-id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const

const setsCookie: ReadonlySet<string> = new Set([
  'auth.register',
  'auth.login',
  'auth.logout',
  'invitations.accept',
  'password.change',
  'pages.accessForm',
  'public.access',
  'saml.login',
  'saml.consume',
  'sessions.remove',
  'sessions.switchOrganization',
  'two-factor.verify',
  'two-factor.disable',
])

const headerReferences = (names: readonly HeaderName[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

export const successHeaders = (operation: Operation): JsonObject =>
  headerReferences([
    ...onEveryResponse,
    ...(documentsIdempotencyKey(operation) ? (['Idempotent-Replayed'] as const) : []),
    ...(setsCookie.has(operation.id) ? (['Set-Cookie'] as const) : []),
    ...(isCached(operation) ? (['ETag', 'Cache-Control'] as const) : []),
    ...(operation.status >= 300 ? (['Location'] as const) : []),
    ...deprecationHeaders(operation.deprecated),
  ])

const deprecationHeaders = (deprecated: Deprecation | undefined) =>
  deprecated === undefined ? [] : (['Deprecation', 'Sunset'] as const)

export const errorHeaders = (status: number, deprecated?: Deprecation): JsonObject =>
  headerReferences([
    ...onEveryResponse,
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...deprecationHeaders(deprecated),
  ])

export const notModifiedHeaders = (): JsonObject =>
  headerReferences([...onEveryResponse, 'ETag', 'Cache-Control'])

export const documentsIdempotencyKey = (operation: Operation): boolean =>
  takesIdempotencyKey(operation) && requirementOfOperation(operation) !== null

/** Returns whether the responses have an ETag, so that clients can revalidate their copy. */
export const isCached = (operation: Operation): boolean =>
  isPageRead(operation) && !isEventStream(operation)

const acceptsIfMatch: ReadonlySet<string> = new Set([
  'components.update',
  'incidents.update',
  'incidents.remove',
  'incidents.addUpdate',
  'incidents.reopen',
  'incidents.amendUpdate',
  'incidents.removeUpdate',
  'postmortems.replace',
  'postmortems.remove',
  'maintenances.update',
  'maintenances.remove',
  'maintenances.addUpdate',
  'oncall-schedules.update',
  'status-pages.update',
])

export const headerParameters = (operation: Operation): JsonObject[] => [
  ...(documentsIdempotencyKey(operation) ? [idempotencyKey] : []),
  ...(acceptsIfMatch.has(operation.id) ? [ifMatch] : []),
  ...(isCached(operation) ? [ifNoneMatch] : []),
  ...(operation.id === 'events.stream' ? [lastEventId] : []),
]

const headerParameter = (name: string, description: string, schema: JsonObject) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...schema },
})

const idempotencyKey = headerParameter(
  'Idempotency-Key',
  'Key of the request: a repeated request with the same key and body within 24 hours gets ' +
    'the stored response',
  { pattern: '^[A-Za-z0-9._:-]{1,128}$' },
)

const ifMatch = headerParameter(
  'If-Match',
  'Expected version of the resource, in quotes; without it the last write wins',
  { pattern: '^"[0-9]{1,15}"$', example: '"3"' },
)

const ifNoneMatch = headerParameter(
  'If-None-Match',
  "ETag of the client's copy; 304 if the content has not changed",
  {},
)

const lastEventId = headerParameter(
  'Last-Event-ID',
  'Id of the last event that the client received; browsers send it when they reconnect',
  {},
)
