/** Every refusal that the document knows: one example each, and the operations that may give it. */
import {
  AppError,
  conflict,
  type ErrorBody,
  errorCodes,
  forbidden,
  invalid,
  isStatusPageOperation,
  missingPermission,
  notFound,
  type Operation,
  requirement,
  statusOf,
  unauthorized,
  unavailable,
} from '@status-page/contracts'
import { documentsIdempotencyKey } from './headers.ts'

const expectedTypes = ['SERVICE', 'ENDPOINT', 'METRIC']

const errors = {
  Invalid: invalid({
    field: 'type',
    message: `type must be one of ${expectedTypes.join(', ')}`,
    expected: expectedTypes,
  }),
  Unauthorized: unauthorized(),
  TwoFactorRequired: new AppError('TWO_FACTOR_REQUIRED', 'A two-factor code is required'),
  MissingPermission: missingPermission({
    permission: 'components:write',
    right: 'COMPONENTS_CREATE',
  }),
  CrossSite: forbidden('cross_site', 'Cross-site requests are not allowed'),
  SessionRequired: forbidden('session_required', 'A login session is required'),
  EnrolmentRequired: forbidden(
    'two_factor_enrolment_required',
    'The organization requires two-factor authentication: set it up first',
  ),
  RegistrationClosed: forbidden('registration_closed', 'Registration is closed'),
  OwnerRequired: forbidden('owner_required', 'Only an OWNER can grant or revoke the role OWNER'),
  NotFound: notFound(),
  Duplicate: conflict('duplicate', 'The slug is already in use'),
  InvalidState: conflict('invalid_state', 'Only a resolved incident can be reopened'),
  VersionMismatch: conflict('version_mismatch', 'The incident is at version 7'),
  InUse: conflict('in_use', 'The role is in use by members or open invitations'),
  LastOwner: conflict('last_owner', 'The last OWNER cannot leave or lose the role'),
  KeyReused: conflict(
    'idempotency_key_reused',
    'The Idempotency-Key was already used with a different body',
  ),
  AlreadyRunning: conflict('already_running', 'The first request with this key is still running'),
  TooLarge: new AppError('PAYLOAD_TOO_LARGE', 'The body is too large'),
  UnsupportedMediaType: new AppError('UNSUPPORTED_MEDIA_TYPE', 'The Content-Type is not supported'),
  TooManyRequests: new AppError('RATE_LIMIT_EXCEEDED', 'Rate limit exceeded, retry in 12 s', {
    limit: 100,
    window: '60s',
    retryAfter: 12,
    bucket: 'global',
  }),
  HeadersTooLarge: new AppError('HEADERS_TOO_LARGE', 'The headers exceed 16 KiB'),
  Internal: new AppError('INTERNAL_ERROR', 'An unexpected error occurred', {
    requestId: '0c3d2f3a-8f0e-4d0e-9a53-5d1f6b1f7a10',
  }),
  BadGateway: new AppError('UPSTREAM_ERROR', 'core returned an invalid response'),
  Unavailable: unavailable('core is not available'),
  Timeout: new AppError('UPSTREAM_TIMEOUT', 'core did not respond in time'),
} satisfies Record<string, AppError>

type ErrorName = keyof typeof errors
const errorNames = Object.keys(errors) as ErrorName[]

/** Beside what holds for every operation of its kind. */
export const operationErrors: Readonly<Record<string, readonly ErrorName[]>> = {
  'auth.register': ['RegistrationClosed', 'Duplicate'],
  'auth.login': ['Unauthorized', 'TwoFactorRequired'],
  'two-factor.check': ['Unauthorized'],
  'two-factor.setUp': ['InvalidState'],
  'two-factor.verify': ['InvalidState'],
  'two-factor.renewBackupCodes': ['InvalidState'],
  'two-factor.disable': ['EnrolmentRequired', 'InvalidState'],
  'invitations.accept': ['Unauthorized', 'TwoFactorRequired', 'Duplicate'],
  'saml.consume': ['Unauthorized'],
  'saml.read': ['NotFound'],
  'saml.replace': ['InvalidState', 'InUse'],
  'saml.remove': ['NotFound', 'InUse'],
  'saml.metadata': ['InvalidState'],
  'saml.login': ['InvalidState'],
  'domains.create': ['Duplicate'],
  'domains.verify': ['Duplicate', 'InvalidState'],
  'auth.removeAccount': ['LastOwner'],
  'organization.remove': ['OwnerRequired'],
  'organization.export': ['OwnerRequired'],
  'organization.restore': ['OwnerRequired', 'InvalidState'],
  'members.update': ['OwnerRequired', 'LastOwner'],
  'members.remove': ['OwnerRequired', 'LastOwner'],
  'invitations.create': ['OwnerRequired', 'Duplicate', 'InvalidState'],
  'invitations.remove': ['InvalidState'],
  'roles.create': ['Duplicate', 'InvalidState'],
  'roles.update': ['Duplicate', 'InvalidState'],
  'roles.remove': ['InUse', 'InvalidState'],
  'incidents.update': ['VersionMismatch', 'InvalidState'],
  'incidents.remove': ['VersionMismatch'],
  'incidents.addUpdate': ['VersionMismatch', 'InvalidState'],
  'incidents.reopen': ['VersionMismatch', 'InvalidState'],
  'incidents.amendUpdate': ['VersionMismatch'],
  'incidents.removeUpdate': ['VersionMismatch', 'InvalidState'],
  'postmortems.replace': ['VersionMismatch', 'InvalidState'],
  'postmortems.remove': ['VersionMismatch'],
  'maintenances.update': ['VersionMismatch', 'InvalidState'],
  'maintenances.remove': ['VersionMismatch', 'InvalidState'],
  'maintenances.addUpdate': ['VersionMismatch', 'InvalidState'],
  'incident-templates.create': ['Duplicate'],
  'incident-templates.update': ['Duplicate'],
  'subscribers.create': ['Duplicate'],
  'subscribers.update': ['Duplicate', 'InvalidState'],
  'configuration.apply': ['AlreadyRunning', 'VersionMismatch'],
  'configuration.export': ['InvalidState'],
  'configuration.rollback': ['AlreadyRunning', 'VersionMismatch'],
  'git-sync.read': ['NotFound'],
  'git-sync.create': ['Duplicate'],
  'git-sync.update': ['NotFound'],
  'git-sync.remove': ['NotFound'],
  'git-sync.sync': ['NotFound', 'AlreadyRunning'],
  'git-sync.rotateSecret': ['NotFound'],
  'git-sync.history': ['NotFound'],
  'hooks.git': ['Unauthorized'],
  'hooks.sms': ['Unauthorized'],
  'hooks.smsStatus': ['Unauthorized'],
  'hooks.bounce': ['Unauthorized'],
  'subscriptions.update': ['InvalidState'],
  'integrations.create': ['Duplicate'],
  'integrations.update': ['Duplicate'],
  'integrations.remove': ['InUse'],
  'hooks.alerts': ['Unauthorized'],
  'incident-drafts.publish': ['InvalidState'],
  'incident-drafts.veto': ['InvalidState'],
  'sla.create': ['InvalidState'],
  'oncall-schedules.addOverride': ['InvalidState'],
  'oncall-alerts.acknowledge': ['InvalidState'],
  'deliveries.replay': ['InvalidState'],
  'status-pages.create': ['Duplicate'],
  'status-pages.update': ['Duplicate'],
}

export interface ErrorStatus {
  /** Of the response in the document's components. */
  name: string
  meaning: string
}

export const errorStatuses: Readonly<Record<number, ErrorStatus>> = {
  400: { name: 'Invalid', meaning: 'Bad body, query or header; `details.issues` lists what' },
  401: { name: 'Unauthorized', meaning: 'No valid credential' },
  403: { name: 'Forbidden', meaning: 'A permission is missing, or what `details.reason` says' },
  404: { name: 'NotFound', meaning: 'Unknown, malformed or foreign id, or not public' },
  405: { name: 'MethodNotAllowed', meaning: 'Known path, other method; see `Allow`' },
  409: { name: 'Conflict', meaning: 'The present state does not allow it; see `details.reason`' },
  413: { name: 'TooLarge', meaning: 'The body is above its size' },
  415: { name: 'UnsupportedMediaType', meaning: 'Other Content-Type, or a Content-Encoding' },
  429: { name: 'TooManyRequests', meaning: 'A rate limit is exceeded; wait for `Retry-After`' },
  431: { name: 'HeadersTooLarge', meaning: 'The headers are above 16 KiB' },
  500: { name: 'Internal', meaning: 'Unexpected fault; quote `details.requestId`' },
  502: { name: 'BadGateway', meaning: 'An inner service returned an invalid response' },
  503: { name: 'Unavailable', meaning: 'An inner service is down or full; see `Retry-After`' },
  504: { name: 'Timeout', meaning: 'No answer in 30 s; the outcome is unknown' },
}

/** What may be refused, by status, in the order of the table. */
export const errorsOf = (operation: Operation): Map<number, ErrorName[]> => {
  const applicable = new Set([...commonErrors(operation), ...(operationErrors[operation.id] ?? [])])
  const byStatus = new Map<number, ErrorName[]>()
  for (const name of errorNames.filter((candidate) => applicable.has(candidate))) {
    const { status } = errors[name]
    byStatus.set(status, [...(byStatus.get(status) ?? []), name])
  }
  return byStatus
}

/** A bad header, or a body where none is expected, is refused before the operation is looked at. */
const commonErrors = (operation: Operation): ErrorName[] => [
  'Invalid',
  ...accessErrors(operation),
  ...(operation.params === undefined ? [] : (['NotFound'] as const)),
  ...(documentsIdempotencyKey(operation) ? (['KeyReused', 'AlreadyRunning'] as const) : []),
  ...(operation.method === 'GET' ? [] : (['TooLarge', 'UnsupportedMediaType'] as const)),
  ...(['TooManyRequests', 'HeadersTooLarge', 'Internal', 'Unavailable'] as const),
  ...(operation.service === 'gateway' ? [] : (['BadGateway', 'Timeout'] as const)),
]

const accessErrors = (operation: Operation): ErrorName[] => {
  const isChange = operation.method !== 'GET'
  if (operation.permission === 'public' || operation.permission === 'signature') {
    if (isStatusPageOperation(operation)) return ['Unauthorized']
    return isChange && operation.bucket === 'auth' ? ['CrossSite'] : []
  }
  if (operation.permission === 'session') {
    return ['Unauthorized', 'SessionRequired', ...(isChange ? (['CrossSite'] as const) : [])]
  }
  if (requirement(operation) === null) return ['Unauthorized']
  const common = ['Unauthorized', 'MissingPermission', 'EnrolmentRequired'] as const
  return isChange ? [...common, 'CrossSite'] : [...common]
}

interface ExampleObject {
  summary: string
  value: ErrorBody
}

const titleOf = (name: string): string => {
  const [first = '', ...rest] = name.split(/(?=[A-Z])/)
  return [first, ...rest.map((word) => word.toLowerCase())].join(' ')
}

/** For `components.examples`. */
export const errorExamples: Readonly<Record<ErrorName, ExampleObject>> = Object.fromEntries(
  errorNames.map((name) => [name, { summary: titleOf(name), value: errors[name].toBody() }]),
) as Record<ErrorName, ExampleObject>

export const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', enum: errorCodes },
        message: { type: 'string', description: 'For people; may change' },
        details: { $ref: '#/components/schemas/ErrorDetails' },
      },
    },
  },
}

/** Which of them are there depends on the code. */
export const errorDetailsSchema = {
  type: 'object',
  additionalProperties: true,
  properties: {
    field: { type: 'string', description: '400: the first problem, as `conditions[0].target`' },
    expected: { type: 'array', items: {}, description: '400: the closed set of that field' },
    issues: {
      type: 'array',
      maxItems: 50,
      description: '400: all problems',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: {
          field: { type: 'string' },
          message: { type: 'string' },
          expected: { type: 'array', items: {} },
        },
      },
    },
    permission: { type: 'string', description: '403: what a key lacks' },
    rolePermission: { type: 'string', description: '403: what a role lacks' },
    reason: {
      type: 'string',
      description: '403 and 409: why',
      enum: errorNames.flatMap((name) => reasonOf(errors[name])),
    },
    limit: { type: 'integer', description: '429: requests in a window' },
    window: { type: 'string', description: '429: its length, as `60s`' },
    retryAfter: { type: 'integer', description: '429: seconds to wait' },
    bucket: { type: 'string', description: '429: which limit' },
    requestId: { type: 'string', description: '500: for whoever reads the log' },
  },
}

function reasonOf({ details }: AppError): unknown[] {
  return details?.reason === undefined ? [] : [details.reason]
}

/** Status and code of each error, for the introduction. */
export const errorTable = (): [number, string, string][] =>
  errorCodes.map((code) => {
    const status = statusOf(code)
    const meaning = codeMeanings[code] ?? errorStatuses[status]?.meaning ?? ''
    return [status, code, meaning]
  })

/** Where a status has a second code. */
const codeMeanings: Readonly<Record<string, string>> = {
  TWO_FACTOR_REQUIRED: 'Right password or invitation, but `code` is missing',
}
