/**
 * Classification of database errors: temporarily unavailable (503), retryable, or a violated
 * constraint.
 */
import { AppError, unavailable } from '@status-page/contracts'

const RETRY_AFTER_SECONDS = 2

/** Codes of Node and postgres.js for a connection that failed or was lost. */
const connectionCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
])

/** 08 connection, 53 resources (disk, connections), 57 shutdown and cancelled statements. */
const unavailableClasses = new Set(['08', '53', '57'])
const READ_ONLY_TRANSACTION = '25006'
const LOCK_TIMEOUT = '55P03'
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'
const UNIQUE_VIOLATION = '23505'

interface DatabaseError extends Error {
  code: string
  constraint_name?: string
}

const MAX_CAUSES = 5

/** Returns the driver's error, which drizzle wraps. */
export const databaseErrorOf = (error: unknown): DatabaseError | null => {
  let current = error
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) {
    if ('code' in current && typeof current.code === 'string') return current as DatabaseError
    current = current.cause
  }
  return null
}

const isSqlState = (code: string) => /^[0-9A-Z]{5}$/.test(code)

const codeOf = (error: unknown): string =>
  error instanceof AppError ? '' : (databaseErrorOf(error)?.code ?? '')

/** Whether the database is temporarily unable to run a valid statement. */
export const isUnavailable = (error: unknown): boolean => {
  const code = codeOf(error)
  if (connectionCodes.has(code) || isRefusedWrite(error) || code === LOCK_TIMEOUT) return true
  return isSqlState(code) && unavailableClasses.has(code.slice(0, 2))
}

/** Whether the database refused a write because the transaction is read-only. */
export const isRefusedWrite = (error: unknown): boolean => codeOf(error) === READ_ONLY_TRANSACTION

/** Whether two transactions conflicted; this one may run again. */
export const isRetryable = (error: unknown): boolean =>
  [SERIALIZATION_FAILURE, DEADLOCK_DETECTED].includes(codeOf(error))

/** Name of the violated unique constraint; null for any other error. */
export const violatedUniqueConstraint = (error: unknown): string | null =>
  codeOf(error) === UNIQUE_VIOLATION ? (databaseErrorOf(error)?.constraint_name ?? '') : null

/** Error for the caller: a lost or busy database becomes 503, every other error is unchanged. */
export const toAppError = (error: unknown): unknown => {
  if (!isUnavailable(error) && !isRetryable(error)) return error
  const failure = unavailable('The database is not available', RETRY_AFTER_SECONDS)
  failure.cause = error
  return failure
}
