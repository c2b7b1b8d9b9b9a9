/**
 * Scope: one transaction of one organization. Every store requires one, and only this file creates
 * it.
 */
import type { Database } from './connect.ts'
import { driverTransactionOf, type Tx } from './driver.ts'
import { toAppError } from './failure.ts'

const brand: unique symbol = Symbol('scope')

export interface Scope {
  readonly organizationId: string
  /** Database time at the start of the transaction. */
  readonly now: Date
  readonly tx: Tx
  readonly [brand]: true
}

/** Reads in one transaction of the organization. */
export const read = <T>(
  database: Database,
  organizationId: string,
  work: (scope: Scope) => Promise<T>,
): Promise<T> => inScope(database, organizationId, work)

/** Internal to this package: a transaction in which only the organization's rows are visible. */
export const inScope = <T>(
  database: Database,
  organizationId: string,
  work: (scope: Scope) => Promise<T>,
): Promise<T> =>
  inTransaction(database, async (tx) => work(await openScope(database, tx, organizationId)))

const SET_ORGANIZATION = "SELECT set_config('app.org', $1, true), now() AS now"

/**
 * Sets the organization until the end of the transaction; the session form would leak to the next
 * one.
 */
export const openScope = async (
  database: Database,
  tx: Tx,
  organizationId: string,
): Promise<Scope> => {
  const [row] = await driverTransactionOf(tx).unsafe<{ now: string }[]>(SET_ORGANIZATION, [
    organizationId,
  ])
  return { organizationId, now: databaseTimeOf(database, row?.now), tx, [brand]: true }
}

/**
 * Internal to this package: a transaction with a bounded wait for a connection and failures as
 * AppError.
 */
export const inTransaction = async <T>(
  database: Database,
  work: (tx: Tx) => Promise<T>,
): Promise<T> => {
  try {
    return await database.semaphore.run(() => database.db.transaction(work))
  } catch (error) {
    throw toAppError(error)
  }
}

export const databaseTimeOf = (database: Database, now: string | undefined): Date =>
  new Date(new Date(now ?? Number.NaN).getTime() + database.clock.offsetMs())
