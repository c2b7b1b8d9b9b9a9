/** Every error code with its HTTP status, and the one exception that carries them. */

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

export const statusOf = (code: ErrorCode): number => statuses[code]

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

/** One problem of the input; `expected` only for closed sets. */
export interface Issue {
  field: string
  message: string
  expected?: readonly unknown[]
}

export const MAX_ISSUES = 50

/** The body of every error answer. */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; details?: Record<string, unknown> }
}

/** A refusal that the caller may read. `headers` go out with the answer (Retry-After, Allow). */
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
    return statusOf(this.code)
  }

  toBody(): ErrorBody {
    const { code, message, details } = this
    return { error: details === undefined ? { code, message } : { code, message, details } }
  }
}

/** 400: the first issue is described, all of them listed. */
export const invalid = (...issues: [Issue, ...Issue[]]): AppError => {
  const [first] = issues
  return new AppError('VALIDATION_ERROR', first.message, {
    field: first.field,
    ...(first.expected === undefined ? {} : { expected: first.expected }),
    issues: issues.slice(0, MAX_ISSUES),
  })
}

/** Unknown, malformed and foreign ids are one 404, to the letter. */
export const notFound = (): AppError => new AppError('NOT_FOUND', 'Resource not found')

export const unauthorized = (message = 'Valid authentication is required'): AppError =>
  new AppError('UNAUTHORIZED', message, undefined, { 'www-authenticate': 'Bearer' })

export const conflict = (reason: ConflictReason, message: string): AppError =>
  new AppError('CONFLICT', message, { reason })

export const forbidden = (reason: ForbiddenReason, message: string): AppError =>
  new AppError('FORBIDDEN', message, { reason })

/** 403: what a key needs, and what a role needs in its place. */
export const missingPermission = (needed: { permission: string; right: string }): AppError =>
  new AppError('FORBIDDEN', `Missing permission: ${needed.permission}`, {
    permission: needed.permission,
    rolePermission: needed.right,
  })

export const unavailable = (message: string, retryAfterSeconds = 1): AppError =>
  new AppError('SERVICE_UNAVAILABLE', message, undefined, {
    'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))),
  })
