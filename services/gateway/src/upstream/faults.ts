/** Errors for callers when a service behind the gateway fails. */
import { AppError, type ServiceName, unavailable } from '@status-page/contracts'

export const RETRY_AFTER_SECONDS = 2

const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])
const timeouts = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

/**
 * Error of a failed upstream request. Without a connection nothing happened; after a timeout or a
 * broken connection the outcome is unknown.
 */
export const upstreamErrorOf = (error: unknown, service: ServiceName): AppError => {
  const code = connectionErrorCode(error)
  const fault = neverConnected.has(code)
    ? serviceUnavailable(service)
    : timeouts.has(code)
      ? new AppError('UPSTREAM_TIMEOUT', `${service} did not respond in time`)
      : new AppError('UPSTREAM_ERROR', `${service} returned an invalid response`)
  fault.cause = error
  return fault
}

/** Error code; a connection attempt to several addresses fails with one error each. */
export const connectionErrorCode = (error: unknown): string => {
  const { code, errors } = (error ?? {}) as { code?: string; errors?: { code?: string }[] }
  return code ?? errors?.[0]?.code ?? ''
}

export const serviceUnavailable = (service: ServiceName) =>
  unavailable(`${service} is not available`, RETRY_AFTER_SECONDS)

export const serviceOverloaded = (service: ServiceName) =>
  unavailable(`Too many requests to ${service} are in progress`, RETRY_AFTER_SECONDS)
