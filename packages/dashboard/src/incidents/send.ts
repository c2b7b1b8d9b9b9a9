/** Requests that are repeated while the service does not respond. */
import { ApiError, ConnectionError } from '@status-page/client'
import { reasonOf } from '../api/versions.ts'

const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 10_000
/** Statuses of the gateway for a service that does not respond. */
const UNAVAILABLE = [502, 503, 504]

/** Returns whether the outcome of the request is unknown, so that it is sent again. */
export const isUnanswered = (error: unknown): boolean => {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof ApiError)) return false
  return UNAVAILABLE.includes(error.status) || reasonOf(error) === 'already_running'
}

interface RepeatOptions {
  signal: AbortSignal
  /** The request is sent again after a delay. */
  onUnanswered(): void
}

/** Sends until the service responds or the signal aborts; throws the last error. */
export const sendUntilAnswered = async <Reply>(
  send: () => Promise<Reply>,
  { signal, onUnanswered }: RepeatOptions,
): Promise<Reply> => {
  for (let attempt = 0; ; attempt++) {
    try {
      return await send()
    } catch (error) {
      if (signal.aborted || !isUnanswered(error)) throw error
      onUnanswered()
      await delay(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt), signal)
      if (signal.aborted) throw error
    }
  }
}

const delay = (delayMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, delayMs)
    signal.addEventListener('abort', end)
  })

const KEY_BYTES = 16

/** Random key; `crypto.randomUUID` requires HTTPS. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
