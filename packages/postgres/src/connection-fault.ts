/** Distinguishes an unreachable Postgres from one that rejects a statement. */
import { AppError } from '@status-page/contracts'
import { databaseErrorOf } from './failure.ts'

const FAULTS: ReadonlySet<string> = new Set([
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  // admin_shutdown, crash_shutdown, cannot_connect_now
  '57P01',
  '57P02',
  '57P03',
])

export const isConnectionFault = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  FAULTS.has(error.code)

/** Applies `isConnectionFault` to an error of a transaction. */
export const isConnectionLost = (error: unknown): boolean => {
  const thrown = error instanceof AppError ? error.cause : error
  return isConnectionFault(databaseErrorOf(thrown) ?? thrown)
}
