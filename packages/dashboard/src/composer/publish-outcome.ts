/** Meaning of the reply to a publication: published, refused, or to be repeated with the same key. */
import { ApiError } from '@status-page/client'
import type { Refusal } from './draft.ts'

export type PublishOutcome =
  | { kind: 'retry'; afterMs: number }
  | { kind: 'sign-in' }
  /** An earlier request took effect, and its reply was lost. */
  | { kind: 'published' }
  /** Another body was sent with the key before; its reply shows whether it was published. */
  | { kind: 'changed' }
  | { kind: 'refused'; refusal: Refusal }

const FIRST_RETRY_MS = 2_000
const MAX_RETRY_MS = 60_000
const UNAUTHORIZED = 401
const TOO_MANY_REQUESTS = 429
const SERVER_ERROR = 500

/** Outcome of an error; `attempts` counts the requests so far. */
export const outcomeOf = (error: unknown, attempts: number): PublishOutcome => {
  const afterMs = Math.min(FIRST_RETRY_MS * 2 ** Math.max(attempts - 1, 0), MAX_RETRY_MS)
  if (!(error instanceof ApiError)) return { kind: 'retry', afterMs }
  const { reason, retryAfter } = error.details as { reason?: string; retryAfter?: number }
  if (error.status === UNAUTHORIZED) return { kind: 'sign-in' }
  if (error.status >= SERVER_ERROR || reason === 'already_running')
    return { kind: 'retry', afterMs }
  if (error.status === TOO_MANY_REQUESTS) {
    return { kind: 'retry', afterMs: Math.max(afterMs, (retryAfter ?? 0) * 1_000) }
  }
  if (reason === 'duplicate') return { kind: 'published' }
  if (reason === 'idempotency_key_reused') return { kind: 'changed' }
  return { kind: 'refused', refusal: refusalOf(error) }
}

const refusalOf = ({ status, code, message, details }: ApiError): Refusal => ({
  kind: 'refused',
  status,
  error: { code, message, details },
})

/** Error of a refused draft; null for other drafts. */
export const errorOfRefusal = (refusal: Refusal | null): ApiError | null =>
  refusal?.kind === 'refused' ? new ApiError(refusal.status, refusal.error) : null
