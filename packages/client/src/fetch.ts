/** Requests with a timeout per attempt. Deferred requests are repeated where that is safe. */
import { ConnectionError } from './errors.ts'

const MAX_ATTEMPTS = 3
/** Longest window of the rate limits; a longer `Retry-After` is left to the caller, as an error. */
const MAX_RETRY_AFTER_S = 60
const IDEMPOTENT_METHODS = ['GET', 'HEAD', 'PUT', 'DELETE']

/** Reply that defers a request, and the delay before the next attempt. */
export interface RetryNotice {
  status: number
  delayMs: number
}

interface FetchOptions {
  fetch: typeof globalThis.fetch
  timeoutMs: number
  onRetry: ((notice: RetryNotice) => void) | undefined
}

export const boundedFetch =
  ({ fetch, timeoutMs, onRetry }: FetchOptions) =>
  async (request: Request): Promise<Response> => {
    for (let attempt = 1; ; attempt++) {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)])
      const response = await fetch(request.clone(), { signal }).catch((error: unknown) => {
        if (request.signal.aborted) throw error
        const { origin } = new URL(request.url)
        throw new ConnectionError(`${origin} cannot be reached: ${causeOf(error, timeoutMs)}`)
      })
      const delayMs = retryDelayMs(request, response)
      if (delayMs === null || attempt === MAX_ATTEMPTS) return response
      await response.body?.cancel()
      onRetry?.({ status: response.status, delayMs })
      await pause(delayMs, request.signal)
    }
  }

/** Resolves after the delay; rejects as soon as the caller aborts the request. */
const pause = (delayMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve()
    }, delayMs)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })

/** Returns the delay before the next attempt, or null when the request is not repeated. */
const retryDelayMs = (request: Request, { status, headers }: Response): number | null => {
  if (!isIdempotent(request) || (status !== 429 && status !== 503)) return null
  const seconds = headers.get('retry-after')
  return seconds !== null && /^\d+$/.test(seconds) && Number(seconds) <= MAX_RETRY_AFTER_S
    ? Number(seconds) * 1_000
    : null
}

const isIdempotent = ({ method, headers }: Request): boolean =>
  IDEMPOTENT_METHODS.includes(method) || headers.has('idempotency-key')

const causeOf = (error: unknown, timeoutMs: number): string => {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError') return `no response within ${timeoutMs / 1_000} s`
  return cause?.code ?? cause?.message ?? message
}
