/** Requests with a timeout per attempt. Only reads that the service defers are repeated. */
import { ConnectionError } from './errors.ts'

const MAX_ATTEMPTS = 3
/** A longer `Retry-After` is left to the caller, as an error. */
const MAX_RETRY_AFTER_S = 30

export const boundedFetch =
  (fetch: typeof globalThis.fetch, timeoutMs: number) =>
  async (request: Request): Promise<Response> => {
    for (let attempt = 1; ; attempt++) {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)])
      const response = await fetch(request, { signal }).catch((error: unknown) => {
        if (request.signal.aborted) throw error
        const { origin } = new URL(request.url)
        throw new ConnectionError(`${origin} cannot be reached: ${causeOf(error, timeoutMs)}`)
      })
      const delayMs = retryDelayMs(request, response)
      if (delayMs === null || attempt === MAX_ATTEMPTS) return response
      await response.body?.cancel()
      await new Promise((resolve) => setTimeout(resolve, delayMs))
    }
  }

/** Returns the delay before the next attempt, or null when the request is not repeated. */
const retryDelayMs = ({ method }: Request, { status, headers }: Response): number | null => {
  if (method !== 'GET' || (status !== 429 && status !== 503)) return null
  const seconds = headers.get('retry-after')
  return seconds !== null && /^\d+$/.test(seconds) && Number(seconds) <= MAX_RETRY_AFTER_S
    ? Number(seconds) * 1_000
    : null
}

const causeOf = (error: unknown, timeoutMs: number): string => {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError') return `no response within ${timeoutMs / 1_000} s`
  return cause?.code ?? cause?.message ?? message
}
