/**
 * An operation describes one API call: input, reply, permission and limits. Routing, validation,
 * rate limits and the OpenAPI document derive from it.
 */
import type { Static, TObject, TSchema } from '@sinclair/typebox'
import {
  type Action,
  type Grants,
  grantsMeet,
  type Permission,
  type PermissionRule,
  type Requirement,
  requirementOf,
} from './permission.ts'
import type { BucketName } from './rate-bucket.ts'
import { secretFieldsOf } from './secret-fields.ts'

export const services = [
  'gateway',
  'core',
  'monitor',
  'notifier',
  'integrations',
  'config-sync',
] as const
export type ServiceName = (typeof services)[number]

/** Name of a service's Postgres schema and login role. */
export const databaseSchemaOf = (service: ServiceName): string => service.replace('-', '_')

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/**
 * Format of a request body. `raw` and `raw-form` are JSON and form bodies with a signature over
 * their bytes, which the handler parses itself; `any` has no format.
 */
export type BodyType = 'json' | 'yaml' | 'multipart' | 'form' | 'raw' | 'raw-form' | 'any'

/** Deprecation of an operation; days as `2027-01-31`, in UTC. */
export interface Deprecation {
  since: string
  /** Day from which the operation may be removed; at least six months after `since`. */
  sunset: string
}

export interface OperationSpec {
  /** Noun of the contract file and verb of the handler, such as `incidents.create`. */
  id: string
  service: ServiceName
  method: Method
  /** Path with `{name}` for parameters; below `/api/v1` unless `base` is `root`. */
  path: string
  base?: 'api' | 'root'
  /** HTTP status of a successful reply. */
  status: number
  summary: string
  description?: string
  /**
   * Announces the removal of the operation; its replies carry the headers of RFC 9745 and RFC 8594.
   */
  deprecated?: Deprecation
  permission: PermissionRule
  /** Action of the role's right, when it is not the default of the method. */
  action?: Action
  bucket?: BucketName
  /** Buckets that are charged in addition to `bucket`. */
  alsoCounts?: readonly BucketName[]
  /** Services that may call the operation; default: the gateway. */
  callers?: readonly ServiceName[]
  params?: TObject
  query?: TObject
  body?: TSchema
  /** Body fields that the handler validates, because the rules depend on stored data. */
  validatedLater?: readonly string[]
  bodyType?: BodyType
  /** Maximum size of the body in bytes; default 256 KiB. */
  bodyLimit?: number
  reply: TSchema
  /** Content types of a reply that is not JSON. */
  produces?: readonly string[]
  /** True for a POST that changes nothing, a safe request of RFC 9110. */
  isSafe?: boolean
  /** False when the operation ignores an `Idempotency-Key`. */
  idempotencyKey?: boolean
}

export type Operation<Spec extends OperationSpec = OperationSpec> = Readonly<Spec>

export const operation = <const Spec extends OperationSpec>(spec: Spec): Operation<Spec> => {
  if (spec.deprecated !== undefined) checkDeprecation(spec.id, spec.deprecated)
  return Object.freeze(spec)
}

type DerivedField = 'id' | 'service' | 'method' | 'path' | 'status'

/** Operation as a contract file writes it: method and path as one field; default status 200. */
type OperationEntry = Omit<OperationSpec, DerivedField> & {
  route: `${Method} /${string}`
  status?: number
}

type OperationOf<Entry extends OperationEntry> = Readonly<
  Omit<Entry, 'route'> & Pick<OperationSpec, DerivedField>
>

/** Operations of one service and noun; the name of an entry completes its id. */
export const operationsOf = <const Entries extends Readonly<Record<string, OperationEntry>>>(
  service: ServiceName,
  noun: string,
  entries: Entries,
) =>
  Object.fromEntries(
    Object.entries<OperationEntry>(entries).map(([verb, { route, ...rest }]) => {
      const [method, path] = route.split(' ') as [Method, string]
      const id = `${noun}.${verb}`
      return [verb, operation({ status: 200, ...rest, id, service, method, path })]
    }),
  ) as { [Verb in keyof Entries]: OperationOf<Entries[Verb]> }

const MIN_DEPRECATION_MONTHS = 6

const checkDeprecation = (id: string, { since, sunset }: Deprecation): void => {
  const earliest = new Date(since)
  earliest.setUTCMonth(earliest.getUTCMonth() + MIN_DEPRECATION_MONTHS)
  if (new Date(sunset) >= earliest) return
  throw new Error(`${id}: sunset must be ${MIN_DEPRECATION_MONTHS} months after ${since} or later`)
}

const MS_PER_SECOND = 1_000

/** Headers of every reply of a deprecated operation; empty for other operations. */
export const deprecationHeaders = ({
  deprecated,
}: Pick<OperationSpec, 'deprecated'>): Record<string, string> =>
  deprecated === undefined
    ? {}
    : {
        deprecation: `@${Date.parse(deprecated.since) / MS_PER_SECOND}`,
        sunset: new Date(deprecated.sunset).toUTCString(),
      }

export type Operations = Readonly<Record<string, Operation>>

type Part<Spec, Key extends 'params' | 'query' | 'body'> = Spec extends { [K in Key]: infer S }
  ? S extends TSchema
    ? Static<S>
    : undefined
  : undefined

export type Params<Spec> = Part<Spec, 'params'>
export type Query<Spec> = Part<Spec, 'query'>
export type Body<Spec> = Spec extends { bodyType: 'multipart' } ? undefined : Part<Spec, 'body'>
export type Reply<Spec> = Spec extends { reply: infer S extends TSchema } ? Static<S> : never

export const DEFAULT_BODY_LIMIT = 256 * 1024

export const rateBucketOf = (operation: Operation): BucketName => operation.bucket ?? 'endpoint'

export const callingServicesOf = (operation: Operation): readonly ServiceName[] =>
  operation.callers ?? ['gateway']

/**
 * Returns whether an `Idempotency-Key` applies. Replies with secrets are excluded, because the
 * stored reply would contain them.
 */
export const takesIdempotencyKey = (operation: Operation): boolean => {
  const { method, idempotencyKey, isSafe = false, reply } = operation
  const isRepeatable = method === 'POST' && idempotencyKey !== false && !isSafe
  return isRepeatable && secretFieldsOf(reply).length === 0
}

/** Returns whether a successful request may have changed data. */
export const isWrite = ({ method, isSafe = false }: Operation): boolean =>
  method !== 'GET' && !isSafe

/** Returns whether only services may call the operation; the gateway does not route it. */
export const isInternal = ({ path }: Operation): boolean => path.startsWith('/internal/')

/** Path at the gateway, such as `/api/v1/incidents/{id}`. */
export const fullPath = (operation: Operation): string =>
  operation.base === 'root' ? operation.path : `/api/v1${operation.path}`

/**
 * Returns whether the operation reads a status page. Access to the page may be restricted, so that
 * the gateway forwards the session and the page's cookie.
 */
export const isStatusPageOperation = ({ path }: Operation): boolean => statusPagePath.test(path)

const statusPagePath = /^(?:\/public)?\/status\/\{slug\}/

/** Name of the cookie of a visitor who has entered the password of a page. */
export const PAGE_COOKIE = 'page_access'

const isPermission = (rule: PermissionRule): rule is Permission => rule.includes(':')

/**
 * Returns the permission and right that an operation requires, or null when it requires neither.
 */
export const requirementOfOperation = (operation: Operation): Requirement | null =>
  isPermission(operation.permission)
    ? requirementOf(operation.permission, operation.method, operation.action)
    : null

/**
 * Returns whether the grants cover the operation. An operation without requirement is always
 * covered; its own rule is checked elsewhere.
 */
export const grantsCover = (grants: Grants, operation: Operation): boolean => {
  const needed = requirementOfOperation(operation)
  return needed === null || grantsMeet(grants, needed)
}
