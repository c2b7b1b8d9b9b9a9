/**
 * `Idempotency-Key`: the first request runs, repeats receive the stored response for 24 hours. The
 * transaction of the request marks the key, so a crash before the response is stored loses the
 * response but never repeats the effect.
 */
import { AppError, conflict } from '@status-page/contracts'
import { sql } from 'drizzle-orm'
import { newId } from './columns.ts'
import type { Database } from './connect.ts'
import type { Tx } from './driver.ts'
import { inTransaction } from './scope.ts'

/**
 * Lease of a running request, longer than any request may take; its process must have died
 * afterwards.
 */
const LEASE_SECONDS = 60
const RETENTION_HOURS = 24
const RETRY_AFTER_SECONDS = 1

export interface IdempotencyKey {
  organizationId: string
  callerId: string
  /** Method and path pattern of the operation. */
  route: string
  key: string
  bodyHash: string
}

/** Response as sent; `body` is the serialised text. */
export interface StoredResponse {
  status: number
  headers: Record<string, string>
  body: string | null
}

export interface IdempotentResponse extends StoredResponse {
  replayed: boolean
}

/** Returns whether the response is stored; faults and temporary refusals are not. */
const isStored = (status: number) => status < 500 && ![401, 403, 429].includes(status)

/** Runs in the request's transaction as `alongside`; throws when a repeat has claimed the key. */
export type MarkEffect = (tx: Tx) => Promise<void>

export const withIdempotency = async (
  database: Database,
  key: IdempotencyKey,
  run: (markEffect: MarkEffect) => Promise<StoredResponse>,
): Promise<IdempotentResponse> => {
  const owner = newId()
  const stored = await inTransaction(database, (tx) => claim(tx, key, owner))
  if (stored !== null) return { ...stored, replayed: true }
  try {
    const response = await run((tx) => markEffect(tx, key, owner))
    await inTransaction(database, (tx) =>
      isStored(response.status) ? store(tx, key, owner, response) : release(tx, key, owner),
    )
    return { ...response, replayed: false }
  } catch (error) {
    // An unreachable database keeps the claim until its lease expires.
    await inTransaction(database, (tx) => release(tx, key, owner)).catch(() => {})
    throw error
  }
}

/**
 * Returns null when this request claimed the key, else the stored response; throws while another
 * request runs.
 */
const claim = async (
  tx: Tx,
  key: IdempotencyKey,
  owner: string,
): Promise<StoredResponse | null> => {
  const claimed = await tx.execute(sql`
    INSERT INTO idempotency AS i (organization_id, caller_id, route, key, body_hash, owner,
      locked_until, expires_at)
    VALUES (${key.organizationId}, ${key.callerId}, ${key.route}, ${key.key}, ${key.bodyHash},
      ${owner}, now() + make_interval(secs => ${LEASE_SECONDS}::int),
      now() + make_interval(hours => ${RETENTION_HOURS}::int))
    ON CONFLICT (organization_id, caller_id, route, key) DO UPDATE
      SET body_hash = EXCLUDED.body_hash, owner = EXCLUDED.owner, status = NULL, headers = NULL,
        body = NULL, locked_until = EXCLUDED.locked_until, expires_at = EXCLUDED.expires_at,
        took_effect = false
      WHERE i.expires_at <= now() OR i.body_hash = EXCLUDED.body_hash
        AND i.status IS NULL AND i.locked_until <= now() AND NOT i.took_effect
    RETURNING owner`)
  if (claimed.length > 0) return null
  const [row] = await tx.execute<StoredRow>(sql`
    SELECT body_hash, status, headers, body, took_effect AND locked_until <= now() AS is_lost
    FROM idempotency WHERE ${matchesKey(key)}`)
  if (row !== undefined && row.body_hash !== key.bodyHash) {
    throw conflict(
      'idempotency_key_reused',
      'The Idempotency-Key was already used with a different body',
    )
  }
  if (row?.status === null && row.is_lost) {
    throw conflict('duplicate', 'The first request with this Idempotency-Key was already applied')
  }
  if (row === undefined || row.status === null) throw stillRunning()
  return { status: row.status, headers: row.headers ?? {}, body: row.body }
}

type StoredRow = {
  body_hash: string
  status: number | null
  headers: Record<string, string> | null
  body: string | null
  /** True when the request took effect but its process ended before the response was stored. */
  is_lost: boolean
}

const stillRunning = () =>
  new AppError(
    'CONFLICT',
    'The first request with this Idempotency-Key is still in progress',
    { reason: 'already_running' },
    { 'retry-after': String(RETRY_AFTER_SECONDS) },
  )

const store = async (tx: Tx, key: IdempotencyKey, owner: string, response: StoredResponse) => {
  await tx.execute(sql`
    UPDATE idempotency SET status = ${response.status}, body = ${response.body},
      headers = ${JSON.stringify(response.headers)}::jsonb
    WHERE ${matchesKey(key)} AND owner = ${owner}`)
}

const markEffect = async (tx: Tx, key: IdempotencyKey, owner: string) => {
  const marked = await tx.execute(sql`
    UPDATE idempotency SET took_effect = true
    WHERE ${matchesKey(key)} AND owner = ${owner} RETURNING owner`)
  if (marked.length === 0) throw stillRunning()
}

/** Releases the key unless the request took effect. */
const release = async (tx: Tx, key: IdempotencyKey, owner: string) => {
  await tx.execute(sql`
    DELETE FROM idempotency WHERE ${matchesKey(key)} AND owner = ${owner} AND NOT took_effect`)
}

const matchesKey = (key: IdempotencyKey) => sql`organization_id = ${key.organizationId}
  AND caller_id = ${key.callerId} AND route = ${key.route} AND key = ${key.key}`
