/** `Idempotency-Key`: the requests that support it, and the identity of a repeat. */
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { invalid, type Operation, takesIdempotencyKey } from '@status-page/contracts'
import {
  type Database,
  type MarkEffect,
  type StoredResponse,
  withIdempotency,
} from '@status-page/postgres'
import type { Caller } from './call.ts'
import { callerErrorOf } from './error-handler.ts'

export const IDEMPOTENCY_HEADER = 'idempotency-key'
const keyPattern = /^[A-Za-z0-9._:-]{1,128}$/

export interface RepeatableResponse {
  status: number
  headers: Record<string, string>
  body: string | Buffer | Readable
}

export interface RepeatableRequest {
  operation: Operation
  caller: Caller
  /** Path of the request without its query: the same key for another id is another request. */
  path: string
  key: string | string[] | undefined
  body: Buffer
}

/** Runs a request, or returns the stored response of the request that it repeats. */
export const respondOnce = async (
  database: Database,
  request: RepeatableRequest,
  run: (markEffect?: MarkEffect) => Promise<RepeatableResponse>,
): Promise<RepeatableResponse> => {
  const { operation, caller, path, key } = request
  const callerId = caller.actor.apiKeyId ?? caller.actor.userId
  if (
    key === undefined ||
    !takesIdempotencyKey(operation) ||
    caller.organizationId === null ||
    callerId === null
  ) {
    return run()
  }
  if (typeof key !== 'string' || !keyPattern.test(key)) {
    const message = 'Idempotency-Key must be 1 to 128 letters, digits or any of . _ : -'
    throw invalid({ field: 'Idempotency-Key', message })
  }
  const { organizationId } = caller
  const route = `${operation.method} ${path}`
  const bodyHash = hash('sha256', request.body)
  const stored = await withIdempotency(
    database,
    { organizationId, callerId, route, key, bodyHash },
    (markEffect) => toStorableResponse(() => run(markEffect)),
  )
  const replayed = stored.replayed ? { 'idempotent-replayed': 'true' } : {}
  return {
    status: stored.status,
    headers: { ...stored.headers, ...replayed },
    body: stored.body ?? '',
  }
}

/**
 * Converts a rejection to a response that can be stored; an internal fault is thrown and not
 * stored.
 */
const toStorableResponse = async (
  run: () => Promise<RepeatableResponse>,
): Promise<StoredResponse> => {
  try {
    const { status, headers, body } = await run()
    if (body instanceof Readable)
      throw new Error('a stream cannot be stored for a repeated request')
    return { status, headers, body: body.toString() }
  } catch (error) {
    const refusal = callerErrorOf(error)
    if (refusal === null || refusal.status >= 500) throw error
    return {
      status: refusal.status,
      headers: { ...refusal.headers, 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(refusal.toBody()),
    }
  }
}
