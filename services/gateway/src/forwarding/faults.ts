/** Faults of the service behind a request, as the errors that the caller gets. */
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

/** Down: nothing happened there. Late or broken off: the outcome is unknown. */
export const faultOf = (error: unknown, service: ServiceName): AppError => {
  const code = codeOf(error)
  const fault = neverConnected.has(code)
    ? down(service)
    : timeouts.has(code)
      ? new AppError('UPSTREAM_TIMEOUT', `${service} did not respond in time`)
      : new AppError('UPSTREAM_ERROR', `${service} returned an invalid response`)
  fault.cause = error
  return fault
}

/** Of several addresses each fails with an error of its own. */
export const codeOf = (error: unknown): string => {
  const { code, errors } = (error ?? {}) as { code?: string; errors?: { code?: string }[] }
  return code ?? errors?.[0]?.code ?? ''
}

export const down = (service: ServiceName) =>
  unavailable(`${service} is not available`, RETRY_AFTER_SECONDS)

export const overloaded = (service: ServiceName) =>
  unavailable(`Too many requests to ${service} are in progress`, RETRY_AFTER_SECONDS)
