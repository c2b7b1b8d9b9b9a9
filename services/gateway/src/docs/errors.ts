/** Errors in the OpenAPI document: an example of each, and the operations that can return it. */
import {
  AppError,
  componentTypes,
  conflict,
  type ErrorBody,
  errorCodes,
  forbidden,
  httpStatusOf,
  invalid,
  isStatusPageOperation,
  missingPermission,
  notFound,
  type Operation,
  requirementOfOperation,
  ruleKeywords,
  unauthorized,
  unavailable,
} from '@status-page/contracts'
import { documentsIdempotencyKey } from './headers.ts'

const errors = {
  Invalid: invalid({
    field: 'type',
    message: `type must be one of ${componentTypes.join(', ')}`,
    expected: componentTypes,
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

/**
 * Errors of single operations, in addition to the errors that apply to every operation of their
 * kind.
 */
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
  'events.list': ['MissingPermission', 'NotFound', 'InvalidState'],
  'events.stream': ['MissingPermission', 'NotFound', 'InvalidState'],
  'domains.create': ['Duplicate'],
  'domains.verify': ['Duplicate', 'InvalidState'],
  'auth.removeAccount': ['LastOwner'],
  'organization.remove': ['OwnerRequired'],
  'organization.export': ['OwnerRequired'],
  'organization.restore': ['OwnerRequired', 'InvalidState'],
  'members.update': ['OwnerRequired', 'LastOwner'],
  'members.remove': ['OwnerRequired', 'LastOwner'],
  'invitations.create': ['OwnerRequired', 'Duplicate', 'InvalidState'],
  'invitations.resend': ['OwnerRequired', 'Duplicate', 'InvalidState'],
  'invitations.remove': ['InvalidState'],
  'roles.create': ['Duplicate', 'InvalidState'],
  'roles.update': ['Duplicate', 'InvalidState'],
  'roles.remove': ['InUse', 'InvalidState'],
  'components.update': ['VersionMismatch'],
  'components.place': ['InvalidState'],
  'locations.create': ['Duplicate', 'InvalidState'],
  'locations.remove': ['InUse'],
  'agents.enrol': ['InvalidState'],
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
  'sample-data.load': ['Duplicate'],
  'sample-data.remove': ['NotFound', 'InUse'],
  'incident-templates.create': ['Duplicate'],
  'incident-templates.update': ['Duplicate'],
  'maintenance-templates.create': ['Duplicate'],
  'maintenance-templates.update': ['Duplicate'],
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
  'subscriptions.update': ['InvalidState'],
  'integrations.create': ['Duplicate'],
  'integrations.update': ['Duplicate'],
  'integrations.remove': ['InUse'],
  'incident-drafts.publish': ['InvalidState'],
  'incident-drafts.veto': ['InvalidState'],
  'sla.create': ['InvalidState'],
  'oncall-schedules.update': ['VersionMismatch'],
  'oncall-schedules.addOverride': ['InvalidState'],
  'oncall-schedules.updateOverride': ['InvalidState'],
  'oncall-alerts.acknowledge': ['InvalidState'],
  'deliveries.replay': ['InvalidState'],
  'account-pages.root': ['NotFound'],
  'account-pages.setup': ['NotFound', 'InvalidState'],
  'account-pages.submitSetup': ['NotFound', 'Duplicate', 'InvalidState'],
  'account-pages.submitSignIn': ['Unauthorized'],
  'account-pages.submitCode': ['Unauthorized'],
  'account-pages.register': ['RegistrationClosed'],
  'account-pages.submitRegister': ['RegistrationClosed', 'Duplicate'],
  'account-pages.acceptInvitation': ['Unauthorized', 'TwoFactorRequired', 'Duplicate'],
  'account-pages.newPage': ['MissingPermission'],
  'account-pages.submitNewPage': [
    'MissingPermission',
    'CrossSite',
    'Duplicate',
    'BadGateway',
    'Timeout',
  ],
  'account-pages.page': ['MissingPermission', 'BadGateway', 'Timeout'],
  'account-pages.alert': ['MissingPermission', 'BadGateway', 'Timeout'],
  'account-pages.actOnAlert': [
    'MissingPermission',
    'CrossSite',
    'InvalidState',
    'BadGateway',
    'Timeout',
  ],
  'account-pages.draft': ['MissingPermission', 'BadGateway', 'Timeout'],
  'account-pages.actOnDraft': [
    'MissingPermission',
    'CrossSite',
    'InvalidState',
    'BadGateway',
    'Timeout',
  ],
  'account-pages.setUpTwoFactor': ['InvalidState'],
  'account-pages.confirmTwoFactor': ['InvalidState'],
  'account-pages.renewBackupCodes': ['InvalidState'],
  'account-pages.disableTwoFactor': ['EnrolmentRequired', 'InvalidState'],
  'status-pages.create': ['Duplicate'],
  'status-pages.update': ['Duplicate', 'VersionMismatch'],
  'status-pages.checkCustomDomain': ['Duplicate', 'InvalidState'],
  'uploads.create': ['InvalidState'],
  'uploads.remove': ['InUse'],
}

export interface ErrorStatus {
  /** Name of the response in the document's components. */
  name: string
  meaning: string
}

export const errorStatuses: Readonly<Record<number, ErrorStatus>> = {
  400: { name: 'Invalid', meaning: 'Invalid body, query or header; see `details.issues`' },
  401: { name: 'Unauthorized', meaning: 'Missing or invalid credential' },
  403: {
    name: 'Forbidden',
    meaning: 'Missing permission (`details.permission`), or another restriction (`details.reason`)',
  },
  404: {
    name: 'NotFound',
    meaning: 'Unknown or malformed id, resource of another organization, or no access',
  },
  405: { name: 'MethodNotAllowed', meaning: 'The path does not have this method; see `Allow`' },
  409: { name: 'Conflict', meaning: 'Conflict with the current state; see `details.reason`' },
  413: { name: 'TooLarge', meaning: 'The body exceeds its maximum size' },
  415: { name: 'UnsupportedMediaType', meaning: 'Unsupported Content-Type or Content-Encoding' },
  429: { name: 'TooManyRequests', meaning: 'Rate limit exceeded; wait for `Retry-After` seconds' },
  431: { name: 'HeadersTooLarge', meaning: 'The headers exceed 16 KiB' },
  500: { name: 'Internal', meaning: 'Unexpected error; quote `details.requestId` in a report' },
  502: { name: 'BadGateway', meaning: 'A service returned an invalid response' },
  503: {
    name: 'Unavailable',
    meaning: 'A service is unavailable or overloaded; see `Retry-After`',
  },
  504: {
    name: 'Timeout',
    meaning: 'No response within 30 seconds; the request may have taken effect',
  },
}

/** Errors of an operation by status, in the order of `errors`. */
export const errorsOf = (operation: Operation): Map<number, ErrorName[]> => {
  const applicable = new Set([...commonErrors(operation), ...(operationErrors[operation.id] ?? [])])
  const byStatus = new Map<number, ErrorName[]>()
  for (const name of errorNames.filter((candidate) => applicable.has(candidate))) {
    const { status } = errors[name]
    byStatus.set(status, [...(byStatus.get(status) ?? []), name])
  }
  return byStatus
}

/**
 * Errors that follow from the form of an operation. 400 applies to all: an invalid header, or a
 * body of an operation without one, is rejected before the handler runs.
 */
const commonErrors = (operation: Operation): ErrorName[] => [
  'Invalid',
  ...accessErrors(operation),
  ...(operation.params === undefined ? [] : (['NotFound'] as const)),
  ...(documentsIdempotencyKey(operation) ? (['KeyReused', 'AlreadyRunning'] as const) : []),
  ...bodyErrors(operation),
  ...(['TooManyRequests', 'HeadersTooLarge', 'Internal', 'Unavailable'] as const),
  ...(operation.service === 'gateway' ? [] : (['BadGateway', 'Timeout'] as const)),
]

const bodyErrors = ({ method, bodyType }: Operation): ErrorName[] => {
  if (method === 'GET') return []
  return bodyType === 'any' ? ['TooLarge'] : ['TooLarge', 'UnsupportedMediaType']
}

const accessErrors = (operation: Operation): ErrorName[] => {
  const isChange = operation.method !== 'GET'
  if (operation.permission === 'signature') return ['Unauthorized']
  if (operation.permission === 'public') {
    if (isStatusPageOperation(operation)) return ['Unauthorized']
    return isChange && operation.bucket === 'auth' ? ['CrossSite'] : []
  }
  if (operation.permission === 'session') {
    return ['Unauthorized', 'SessionRequired', ...(isChange ? (['CrossSite'] as const) : [])]
  }
  if (requirementOfOperation(operation) === null) return ['Unauthorized']
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

/** Examples for `components.examples`. */
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
        message: { type: 'string', description: 'Readable message; may change' },
        details: { $ref: '#/components/schemas/ErrorDetails' },
      },
    },
  },
}

/** Details of an error; the fields depend on its code. */
export const errorDetailsSchema = {
  type: 'object',
  additionalProperties: true,
  properties: {
    field: {
      type: 'string',
      description: '400: path of the first invalid field, such as `conditions[0].target`',
    },
    expected: {
      type: 'array',
      items: {},
      description: '400: allowed values of the field, for a closed set',
    },
    issues: {
      type: 'array',
      maxItems: 50,
      description: '400: all problems of the input',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: {
          field: { type: 'string' },
          message: { type: 'string' },
          expected: { type: 'array', items: {} },
          keyword: {
            type: 'string',
            description:
              'Keyword of JSON Schema that the value violates, such as `maxLength`, or a rule: ' +
              ruleKeywords.map((rule) => `\`${rule}\``).join(', '),
          },
          limit: { type: 'number', description: 'Limit of the keyword' },
          limitField: {
            type: 'string',
            description: 'Field whose value is the limit of the rule, such as `scheduledFor`',
          },
          format: { type: 'string', description: 'Expected format, such as `email`' },
        },
      },
    },
    permission: { type: 'string', description: '403: permission that an API key needs' },
    rolePermission: { type: 'string', description: '403: right that a role needs' },
    reason: {
      type: 'string',
      description: '403 and 409: reason of the error',
      enum: errorNames.flatMap((name) => reasonOf(errors[name])),
    },
    limit: { type: 'integer', description: '429: maximum number of requests per window' },
    window: { type: 'string', description: '429: length of the window, such as `60s`' },
    retryAfter: { type: 'integer', description: '429: seconds to wait' },
    bucket: { type: 'string', description: '429: bucket of the exceeded limit' },
    requestId: { type: 'string', description: '500: id of the request in the log' },
  },
}

function reasonOf({ details }: AppError): unknown[] {
  return details?.reason === undefined ? [] : [details.reason]
}

/** Status, code and meaning of each error, for the introduction. */
export const errorTable = (): [number, string, string][] =>
  errorCodes.map((code) => {
    const status = httpStatusOf(code)
    const meaning = codeMeanings[code] ?? errorStatuses[status]?.meaning ?? ''
    return [status, code, meaning]
  })

/** Meaning of codes that share their status with another code. */
const codeMeanings: Readonly<Record<string, string>> = {
  TWO_FACTOR_REQUIRED: 'Valid password or invitation, but `code` is missing',
}
