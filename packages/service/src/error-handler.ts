/**
 * Maps thrown values to the contract's errors; details that are not meant for the caller go only to
 * the log.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { AppError, fullPath, invalid, notFound, type Operation } from '@status-page/contracts'
import { toAppError } from '@status-page/postgres'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const REQUEST_ID_HEADER = 'x-request-id'
/** Paths that every service serves in addition to its operations. */
export const systemPaths = ['/health', '/readyz', '/metrics'] as const

/** Headers of every response; a handler may set its own Cache-Control. */
export const commonHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const

const requestIdPattern = /^[A-Za-z0-9._:-]{1,128}$/

/** Returns the caller's request id if it is well formed, else a new one. */
export const requestIdOf = (headers: IncomingHttpHeaders): string => {
  const given = headers[REQUEST_ID_HEADER]
  return typeof given === 'string' && requestIdPattern.test(given) ? given : randomUUID()
}

const HOST = 'host'

/** Rejects repeated Host headers, which two hops could interpret differently. */
export const validateRawHeaders = ({ rawHeaders }: IncomingMessage): void => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts++
  }
  if (hosts > 1) {
    throw invalid({ field: 'Host', message: 'Host must be given once' })
  }
}

/**
 * Sends the contract's error for a thrown value; 5xx are logged, and the response contains nothing
 * of them.
 */
export const sendError = (reply: FastifyReply, error: unknown): FastifyReply => {
  const { request } = reply
  const refusal = isAborted(request)
    ? invalid({ field: 'body', message: 'body is incomplete' })
    : (callerErrorOf(error) ?? internalError(request.id))
  const reason = refusalReasonOf(request, error)
  if (reason !== null) {
    request.log.info({ reason, cause: messageOf(error), requestId: request.id }, 'request refused')
  } else if (refusal.status >= 500) {
    request.log.error({ err: error, requestId: request.id }, 'request failed')
  }
  return reply
    .code(refusal.status)
    .headers(refusal.headers)
    .header(REQUEST_ID_HEADER, request.id)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(refusal.toBody())
}

export type RefusalReason = 'aborted' | 'unavailable'

/** Reason of a rejection that clients can cause; null for any other, and for faults. */
export const refusalReasonOf = (request: FastifyRequest, error: unknown): RefusalReason | null => {
  if (isAborted(request)) return 'aborted'
  return callerErrorOf(error)?.code === 'SERVICE_UNAVAILABLE' ? 'unavailable' : null
}

/** Whether the connection was lost before the body was complete. */
const isAborted = ({ raw }: FastifyRequest): boolean =>
  raw.readableAborted && raw.complete === false

/**
 * Message with that of the cause, since a database error has more detail than the rejection it
 * became.
 */
const messageOf = (error: unknown): string => {
  const { message = '', cause } = (error ?? {}) as Partial<Error>
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}

export const errorHandler = (error: unknown, _request: FastifyRequest, reply: FastifyReply) =>
  sendError(reply, error)

export const internalError = (requestId: string): AppError =>
  new AppError('INTERNAL_ERROR', 'An unexpected error occurred', { requestId })

/** Error for the caller; null for an internal fault. */
export const callerErrorOf = (error: unknown): AppError | null => {
  const known = toAppError(error)
  if (known instanceof AppError) return known.code === 'INTERNAL_ERROR' ? null : known
  const { code = '', statusCode = 500 } = (error ?? {}) as { code?: string; statusCode?: number }
  const ofFramework = frameworkRefusals[code]
  if (ofFramework !== undefined) return ofFramework()
  const isFault = !code.startsWith('FST_') || statusCode < 400 || statusCode >= 500
  return isFault ? null : invalid({ field: 'body', message: 'The request is malformed' })
}

/** Errors that Fastify raises before a handler runs. */
const frameworkRefusals: Record<string, () => AppError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new AppError('PAYLOAD_TOO_LARGE', 'The body is too large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new AppError('UNSUPPORTED_MEDIA_TYPE', 'The Content-Type is not supported'),
  FST_ERR_BAD_URL: () => notFound(),
  FST_ERR_MAX_PARAM_LENGTH: () => notFound(),
  FST_ERR_ASYNC_CONSTRAINT: () => notFound(),
}

/** Error of a request without a route: 405 when another method exists at the path, else 404. */
export type RouteRefusal = (request: Pick<FastifyRequest, 'url'>) => AppError

export const createRouteRefusal = (operations: readonly Operation[]): RouteRefusal => {
  const known = [
    ...operations.map((operation) => ({
      pattern: patternOf(fullPath(operation)),
      parameters: fullPath(operation).split('{').length - 1,
      method: operation.method,
    })),
    ...systemPaths.map((path) => ({ pattern: patternOf(path), parameters: 0, method: 'GET' })),
  ]
  return ({ url }) => {
    const [path = ''] = url.split('?', 1)
    const matches = known.filter(({ pattern }) => pattern.test(path))
    // `/subscribers/import` is its own path, not an id.
    const fewest = Math.min(...matches.map(({ parameters }) => parameters))
    const own = matches.filter(({ parameters }) => parameters === fewest)
    return own.length === 0 ? notFound() : methodNotAllowed(own.map(({ method }) => method))
  }
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${RegExp.escape(path).replaceAll(/\\\{[^}]*\\\}/g, '[^/]+')}$`)

export const methodNotAllowed = (methods: readonly string[]): AppError => {
  const withHead = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const allow = [...new Set(withHead)].sort().join(', ')
  return new AppError('METHOD_NOT_ALLOWED', `Method not allowed, use ${allow}`, undefined, {
    allow,
  })
}
