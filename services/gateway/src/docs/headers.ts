/** Headers that requests may and answers do carry, and which operations have them. */
import {
  type Deprecation,
  type Operation,
  requirement,
  takesIdempotencyKey,
} from '@status-page/contracts'
import { isPageReading, isStream } from '../edge/load-shedding.ts'
import type { Json } from './schemas.ts'

const textHeader = (description: string) => ({ description, schema: { type: 'string' } })
const integerHeader = (description: string) => ({ description, schema: { type: 'integer' } })

export const headers = {
  'x-request-id': textHeader('Echoed from the request, or a random UUID'),
  'X-RateLimit-Limit': integerHeader('Requests in a window of the bucket with the fewest left'),
  'X-RateLimit-Remaining': integerHeader('Requests left in it'),
  'X-RateLimit-Reset': integerHeader('Unix second at which its oldest request leaves the window'),
  'Retry-After': integerHeader('Whole seconds to wait, at least 1'),
  'WWW-Authenticate': textHeader('`Bearer`'),
  'Idempotent-Replayed': textHeader('`true` when this is the stored answer to an earlier request'),
  'Set-Cookie': textHeader('The session, or that a page was opened; HttpOnly and SameSite=Lax'),
  ETag: textHeader('Of these very bytes; send it back as If-None-Match'),
  'Cache-Control': textHeader('How long caches may keep and re-use it'),
  Location: textHeader('Where to go on'),
  Deprecation: textHeader('`@` and the Unix second since when the operation is deprecated'),
  Sunset: textHeader('The time from which the operation may be gone, as an HTTP date'),
} as const

type HeaderName = keyof typeof headers

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

const headerReferences = (names: readonly HeaderName[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

export const successHeaders = (operation: Operation): Json =>
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

export const errorHeaders = (status: number, deprecated?: Deprecation): Json =>
  headerReferences([
    ...onEveryResponse,
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...deprecationHeaders(deprecated),
  ])

export const notModifiedHeaders = (): Json =>
  headerReferences([...onEveryResponse, 'ETag', 'Cache-Control'])

export const documentsIdempotencyKey = (operation: Operation): boolean =>
  takesIdempotencyKey(operation) && requirement(operation) !== null

/** Public data has a tag; whoever holds it asks again without taking the bytes again. */
export const isCached = (operation: Operation): boolean =>
  isPageReading(operation) && !isStream(operation)

const acceptsIfMatch: ReadonlySet<string> = new Set([
  'incidents.update',
  'incidents.remove',
  'incidents.addUpdate',
  'incidents.reopen',
  'maintenances.update',
  'maintenances.remove',
  'maintenances.addUpdate',
])

export const headerParameters = (operation: Operation): Json[] => [
  ...(documentsIdempotencyKey(operation) ? [idempotencyKey] : []),
  ...(acceptsIfMatch.has(operation.id) ? [ifMatch] : []),
  ...(isCached(operation) ? [ifNoneMatch] : []),
]

const headerParameter = (name: string, description: string, schema: Json) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...schema },
})

const idempotencyKey = headerParameter(
  'Idempotency-Key',
  'The same key and body within 24 h give the stored answer',
  { pattern: '^[A-Za-z0-9._:-]{1,128}$' },
)

const ifMatch = headerParameter(
  'If-Match',
  'The version that is to be changed, in quotes; without it the last write wins',
  { pattern: '^"[0-9]{1,15}"$', example: '"3"' },
)

const ifNoneMatch = headerParameter('If-None-Match', 'An ETag: 304 while it is the present one', {})
