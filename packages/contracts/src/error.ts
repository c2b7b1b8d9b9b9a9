/** Error codes with their HTTP status, and the one exception type that carries them. */

const statuses = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  TWO_FACTOR_REQUIRED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMIT_EXCEEDED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  UPSTREAM_ERROR: 502,
  SERVICE_UNAVAILABLE: 503,
  UPSTREAM_TIMEOUT: 504,
} as const

export type ErrorCode = keyof typeof statuses

export const errorCodes = Object.keys(statuses) as ErrorCode[]

export const httpStatusOf = (code: ErrorCode): number => statuses[code]

export type ForbiddenReason =
  | 'cross_site'
  | 'session_required'
  | 'registration_closed'
  | 'two_factor_enrolment_required'
  | 'owner_required'
  | 'credential_required'

export type ConflictReason =
  | 'duplicate'
  | 'version_mismatch'
  | 'invalid_state'
  | 'in_use'
  | 'last_owner'
  | 'idempotency_key_reused'
  | 'already_running'

/**
 * One problem of the input. `expected` is set only for closed sets. The keyword is that of JSON
 * Schema, with its limit or format, or a rule of `rule-issues.ts`, with the field whose value is the
 * limit: clients translate by them.
 */
export interface Issue {
  field: string
  message: string
  expected?: readonly unknown[]
  keyword?: string
  limit?: number
  limitField?: string
  format?: string
}

export const MAX_ISSUES = 50

/** Body of every error response. */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; details?: Record<string, unknown> }
}

/**
 * Error that is returned to the caller. `headers` are added to the response (Retry-After, Allow).
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: Record<string, unknown> | undefined
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    message: string,
    details?: Record<string, unknown>,
    headers: Record<string, string> = {},
  ) {
    super(message)
    this.name = 'AppError'
    this.code = code
    this.details = details
    this.headers = headers
  }

  get status(): number {
    return httpStatusOf(this.code)
  }

  toBody(): ErrorBody {
    const { code, message, details } = this
    return { error: details === undefined ? { code, message } : { code, message, details } }
  }
}

/**
 * Creates a 400 from one or more issues: the message and `field` are those of the first, `issues`
 * lists all.
 */
export const invalid = (...issues: [Issue, ...Issue[]]): AppError => {
  const [first] = issues
  return new AppError('VALIDATION_ERROR', first.message, {
    field: first.field,
    ...(first.expected === undefined ? {} : { expected: first.expected }),
    issues: issues.slice(0, MAX_ISSUES),
  })
}

/** Throws a 400 unless there are no issues. */
export const throwIssues = ([first, ...others]: readonly Issue[]): void => {
  if (first !== undefined) throw invalid(first, ...others)
}

/** Issues of a validation error, rethrowing every other error. */
export const issuesOfError = (error: unknown): Issue[] => {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error
  return (error.details?.issues ?? []) as Issue[]
}

/**
 * Returns the result in a list, or an empty list after adding the problems to `issues`, with the
 * path before each field.
 */
export const collectIssues = <Result>(
  issues: Issue[],
  path: string,
  validate: () => Result,
): Result[] => {
  try {
    return [validate()]
  } catch (error) {
    for (const issue of issuesOfError(error)) {
      issues.push({ ...issue, field: `${path}.${issue.field}` })
    }
    return []
  }
}

/**
 * Creates the 404 for unknown, malformed and foreign ids; byte for byte the same for all of them,
 * so that it reveals nothing.
 */
export const notFound = (): AppError => new AppError('NOT_FOUND', 'Resource not found')

/** Returns the row that a query found, otherwise throws 404. */
export const orNotFound = <Row>(row: Row | null | undefined): Row => {
  if (row === null || row === undefined) throw notFound()
  return row
}

export const unauthorized = (message = 'Valid authentication is required'): AppError =>
  new AppError('UNAUTHORIZED', message, undefined, { 'www-authenticate': 'Bearer' })

export const conflict = (reason: ConflictReason, message: string): AppError =>
  new AppError('CONFLICT', message, { reason })

export const forbidden = (reason: ForbiddenReason, message: string): AppError =>
  new AppError('FORBIDDEN', message, { reason })

/** Creates a 403 that names the permission for API keys and the right for roles. */
export const missingPermission = (needed: { permission: string; right: string }): AppError =>
  new AppError('FORBIDDEN', `Missing permission: ${needed.permission}`, {
    permission: needed.permission,
    rolePermission: needed.right,
  })

export const unavailable = (message: string, retryAfterSeconds = 1): AppError =>
  new AppError('SERVICE_UNAVAILABLE', message, undefined, {
    'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))),
  })
