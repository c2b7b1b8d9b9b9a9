/** An operation: what one call takes, gives and asks of its caller. Everything at the edge derives from it. */
import type { Static, TObject, TSchema } from '@sinclair/typebox'
import {
  type Action,
  type Grants,
  holds,
  type Permission,
  type PermissionRule,
  type Requirement,
  requirementOf,
} from './permission.ts'
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
export const schemaOf = (service: ServiceName): string => service.replace('-', '_')

/** Rate buckets; every operation has exactly one class bucket, `stands alone` ones skip global. */
export const bucketNames = [
  'global',
  'endpoint',
  'incident create',
  'import',
  'check',
  'bulk',
  'auth',
  'public',
  'public read',
  'feed',
  'webhook',
  'sign_up',
] as const
export type BucketName = (typeof bucketNames)[number]

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** `raw` and `raw-form`: JSON and a form whose bytes are signed, so that the handler reads them. */
export type BodyType = 'json' | 'yaml' | 'multipart' | 'form' | 'raw' | 'raw-form'

/** Days as `2027-01-31`, in UTC. */
export interface Deprecation {
  since: string
  /** The day from which the operation may be gone; at least six months after `since`. */
  sunset: string
}

export interface OperationSpec {
  /** `incidents.create`: noun of the contract file, verb of the handler. */
  id: string
  service: ServiceName
  method: Method
  /** With `{name}` for parameters; below `/api/v1` unless `base` is `root`. */
  path: string
  base?: 'api' | 'root'
  /** Status of success. */
  status: number
  summary: string
  description?: string
  /** Announced to be removed; its replies carry the headers of RFC 9745 and RFC 8594. */
  deprecated?: Deprecation
  permission: PermissionRule
  /** The action of a role where the method does not tell it (`u` in the contract). */
  action?: Action
  bucket?: BucketName
  /** Buckets that apply beside it. */
  alsoCounts?: readonly BucketName[]
  /** Services that may call it; the gateway unless said otherwise. */
  callers?: readonly ServiceName[]
  params?: TObject
  query?: TObject
  body?: TSchema
  /** Body fields whose problems the handler judges: whether they count depends on what is stored. */
  validatedLater?: readonly string[]
  bodyType?: BodyType
  /** Bytes; 256 KiB unless said otherwise. */
  bodyLimit?: number
  reply: TSchema
  /** Content types of a reply that is not JSON. */
  produces?: readonly string[]
  /** False where an `Idempotency-Key` has no effect. */
  idempotencyKey?: boolean
}

export type Operation<Spec extends OperationSpec = OperationSpec> = Readonly<Spec>

export const operation = <const Spec extends OperationSpec>(spec: Spec): Operation<Spec> => {
  if (spec.deprecated !== undefined) checkDeprecation(spec.id, spec.deprecated)
  return Object.freeze(spec)
}

const MIN_DEPRECATION_MONTHS = 6

const checkDeprecation = (id: string, { since, sunset }: Deprecation): void => {
  const earliest = new Date(since)
  earliest.setUTCMonth(earliest.getUTCMonth() + MIN_DEPRECATION_MONTHS)
  if (new Date(sunset) >= earliest) return
  throw new Error(`${id}: sunset must be ${MIN_DEPRECATION_MONTHS} months after ${since} or later`)
}

const MS_PER_SECOND = 1_000

/** Headers of every reply of an operation that is deprecated; none of any other. */
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

export const bucketOf = (operation: Operation): BucketName => operation.bucket ?? 'endpoint'

export const callersOf = (operation: Operation): readonly ServiceName[] =>
  operation.callers ?? ['gateway']

/** Whether an `Idempotency-Key` counts: the stored answer would hold the secrets of the reply. */
export const takesIdempotencyKey = ({ method, idempotencyKey, reply }: Operation): boolean =>
  method === 'POST' && idempotencyKey !== false && secretFieldsOf(reply).length === 0

/** Asked by our own services alone: the world cannot reach it. */
export const isInternal = ({ path }: Operation): boolean => path.startsWith('/internal/')

/** The path as the world sees it, `/api/v1/incidents/{id}`. */
export const fullPath = (operation: Operation): string =>
  operation.base === 'root' ? operation.path : `/api/v1${operation.path}`

/** Of a status page, which may be closed to strangers: a session and the page's cookie go along. */
export const isStatusPageOperation = ({ path }: Operation): boolean => statusPagePath.test(path)

const statusPagePath = /^(?:\/public)?\/status\/\{slug\}/

/** Says that its bearer gave the password of a page. */
export const PAGE_COOKIE = 'page_access'

const isPermission = (rule: PermissionRule): rule is Permission => rule.includes(':')

/** The permission and right that an operation needs, or null when it asks for none of either kind. */
export const requirement = (operation: Operation): Requirement | null =>
  isPermission(operation.permission)
    ? requirementOf(operation.permission, operation.method, operation.action)
    : null

/** Whether the grants cover the operation; a null requirement is covered by its own rule elsewhere. */
export const covers = (grants: Grants, operation: Operation): boolean => {
  const needed = requirement(operation)
  return needed === null || holds(grants, needed)
}
