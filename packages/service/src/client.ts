/**
 * Client of another service's operations, on behalf of a caller. Its errors pass unchanged;
 * everything else that is no valid response becomes 502, 503 or 504.
 */
import { startTimeout } from '@status-page/concurrency'
import {
  AppError,
  type Body,
  type ErrorBody,
  errorCodes,
  fullPath,
  type Operation,
  type Params,
  type Query,
  type Reply,
  type ServiceName,
  unavailable,
} from '@status-page/contracts'
import { traceHeaders } from '@status-page/tracing'
import { errors, Pool } from 'undici'
import type { Caller } from './call.ts'
import { ADDRESS_HEADER, AGENT_HEADER, CALLER_HEADER, type CallerSigner } from './caller.ts'
import { REQUEST_ID_HEADER } from './error-handler.ts'

const DEFAULT_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 2_000
const MAX_CONNECTIONS = 64
const MAX_REPLY_BYTES = 32 * 1024 * 1024
const RETRY_AFTER_SECONDS = 2

/** Request of an operation; members that the operation lacks must be absent. */
export type ClientRequest<Op> = Part<'params', Params<Op>> &
  Part<'query', Partial<Query<Op>>> &
  Part<'body', Body<Op>> & {
    caller: Caller
    requestId?: string | null | undefined
    ipAddress?: string | null | undefined
    userAgent?: string | null | undefined
    /** Headers in addition to those of the client: `if-match`, `idempotency-key`. */
    headers?: Record<string, string>
    timeoutMs?: number
  }

type Part<Name extends string, Value> = [Value] extends [undefined]
  ? { [N in Name]?: undefined }
  : Name extends 'query'
    ? { [N in Name]?: Value }
    : { [N in Name]: Value }

export interface Client {
  call<Op extends Operation>(operation: Op, request: ClientRequest<Op>): Promise<Reply<Op>>
  close(): Promise<void>
}

export const createClient = (options: {
  origin: string
  service: ServiceName
  signer: CallerSigner
  timeoutMs?: number
}): Client => {
  const { origin, service, signer, timeoutMs = DEFAULT_TIMEOUT_MS } = options
  const pool = new Pool(origin, {
    connections: MAX_CONNECTIONS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_REPLY_BYTES,
  })

  const send = async (operation: Operation, request: AnyRequest): Promise<unknown> => {
    const deadline = new AbortController()
    const cancel = startTimeout(() => deadline.abort(), request.timeoutMs ?? timeoutMs)
    const { signal } = deadline
    const hasBody = request.body !== undefined
    let hasBegun = false
    try {
      const { statusCode, headers, body } = await pool.request({
        method: operation.method,
        path: targetOf(operation, request),
        headers: {
          ...request.headers,
          ...headersOf(request, signer.sign(request.caller, service)),
          ...(hasBody ? { 'content-type': 'application/json' } : {}),
        },
        ...(hasBody ? { body: JSON.stringify(request.body) } : {}),
        signal,
      })
      hasBegun = true
      const text = await body.text()
      return replyOf({ service, status: statusCode, text, retryAfter: headers['retry-after'] })
    } catch (error) {
      throw failureOf(error, { service, isLate: signal.aborted, hasBegun })
    } finally {
      cancel()
    }
  }

  return {
    call: (operation, request) =>
      send(operation, request as unknown as AnyRequest) as Promise<never>,
    close: () => pool.close(),
  }
}

interface AnyRequest {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  caller: Caller
  requestId?: string | null
  ipAddress?: string | null
  userAgent?: string | null
  headers?: Record<string, string>
  timeoutMs?: number
}

const targetOf = (operation: Operation, { params = {}, query = {} }: AnyRequest): string => {
  const path = fullPath(operation).replaceAll(/\{([^}]+)\}/g, (_match, name: string) =>
    encodeURIComponent(String(params[name])),
  )
  const present = Object.entries(query).filter(([, value]) => value !== undefined)
  if (present.length === 0) return path
  return `${path}?${new URLSearchParams(Object.fromEntries(present.map(([name, value]) => [name, String(value)])))}`
}

const headersOf = (request: AnyRequest, token: string): Record<string, string> => ({
  [CALLER_HEADER]: token,
  ...traceHeaders(),
  accept: 'application/json',
  ...(request.requestId ? { [REQUEST_ID_HEADER]: request.requestId } : {}),
  ...(request.ipAddress ? { [ADDRESS_HEADER]: request.ipAddress } : {}),
  ...(request.userAgent ? { [AGENT_HEADER]: request.userAgent } : {}),
})

interface ReceivedResponse {
  service: ServiceName
  status: number
  text: string
  retryAfter: string | string[] | undefined
}

const replyOf = (received: ReceivedResponse): unknown => {
  const { service, status, text, retryAfter } = received
  const body = parseJson(text)
  if (status >= 200 && status < 300 && body !== undefined) return body
  const error = errorIn(body)
  // A 401 concerns only the two services, and a 500 contains nothing for the caller.
  if (error === null || status === 401 || status === 500) throw invalidResponse(service)
  const headers: Record<string, string> = {}
  if (typeof retryAfter === 'string') headers['retry-after'] = retryAfter
  throw new AppError(error.code, error.message, error.details, headers)
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const errorIn = (body: unknown): ErrorBody['error'] | null => {
  const { error } = (body ?? {}) as Partial<ErrorBody>
  const isError =
    typeof error === 'object' &&
    errorCodes.includes(error.code) &&
    typeof error.message === 'string'
  return isError ? error : null
}

const invalidResponse = (service: ServiceName) =>
  new AppError('UPSTREAM_ERROR', `${service} returned an invalid response`)

interface FailureContext {
  service: ServiceName
  isLate: boolean
  /** True once the response headers were received, which shows that the service is up. */
  hasBegun: boolean
}

const failureOf = (error: unknown, context: FailureContext): unknown => {
  if (error instanceof AppError || error instanceof TypeError) return error
  const refusal = refusalOf(error, context)
  refusal.cause = error
  return refusal
}

const refusalOf = (error: unknown, { service, isLate, hasBegun }: FailureContext): AppError => {
  if (isLate) return new AppError('UPSTREAM_TIMEOUT', `${service} did not respond in time`)
  return hasBegun || error instanceof errors.HTTPParserError
    ? invalidResponse(service)
    : unavailable(`${service} is not available`, RETRY_AFTER_SECONDS)
}
