/** A Scope is one transaction of one organization; no store works without it, only this file makes it. */
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { Database } from './connect.ts'
import { asAppError } from './failure.ts'
import { clientOf } from './prepared-query.ts'

export type Tx = Parameters<Parameters<PostgresJsDatabase['transaction']>[0]>[0]

const made: unique symbol = Symbol('scope')

export interface Scope {
  readonly organizationId: string
  /** The database's clock at the start of the transaction. */
  readonly now: Date
  readonly tx: Tx
  readonly [made]: true
}

/** Reads in one transaction of the organization. */
export const read = <T>(
  database: Database,
  organizationId: string,
  work: (scope: Scope) => Promise<T>,
): Promise<T> => inScope(database, organizationId, work)

/** For this package only: a transaction with the organization's rows in sight, and no others. */
export const inScope = <T>(
  database: Database,
  organizationId: string,
  work: (scope: Scope) => Promise<T>,
): Promise<T> =>
  inTransaction(database, async (tx) => work(await openScope(database, tx, organizationId)))

const OPEN = "SELECT set_config('app.org', $1, true), now() AS now"

/** Sets the organization until the end of the transaction; the session form would leak to the next. */
export const openScope = async (
  database: Database,
  tx: Tx,
  organizationId: string,
): Promise<Scope> => {
  const [row] = await clientOf(tx).unsafe<{ now: string }[]>(OPEN, [organizationId])
  return { organizationId, now: timeOf(database, row?.now), tx, [made]: true }
}

/** For this package only: a transaction, its wait for a connection bounded, its failures as AppError. */
export const inTransaction = async <T>(
  database: Database,
  work: (tx: Tx) => Promise<T>,
): Promise<T> => {
  try {
    return await database.gate.run(() => database.db.transaction(work))
  } catch (error) {
    throw asAppError(error)
  }
}

export const timeOf = (database: Database, now: string | undefined): Date =>
  new Date(new Date(now ?? Number.NaN).getTime() + database.clock.offsetMs())
