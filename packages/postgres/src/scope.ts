/**
 * Scope: one transaction of one organization. Every store requires one, and only this file creates
 * it.
 */
import { AppError } from '@status-page/contracts'
import type { Database } from './connect.ts'
import { commitAtOnce, driverTransactionOf, sendWithBegin, type Tx } from './driver.ts'
import { isRefusedWrite, toAppError } from './failure.ts'

const brand: unique symbol = Symbol('scope')

export interface Scope {
  readonly organizationId: string
  /** Database time at the start of the transaction. */
  readonly now: Date
  readonly tx: Tx
  readonly [brand]: true
}

/** Scope before its first response: the time of the database is not known yet. */
export type PipelinedScope = Omit<Scope, 'now'>

/** Reads in one transaction of the organization. */
export const read = <T>(
  database: Database,
  organizationId: string,
  work: (scope: Scope) => Promise<T>,
): Promise<T> => inScope(database, organizationId, work)

/**
 * Like `read` in a read-only transaction, whose result does not wait for the commit: the transaction
 * changes nothing, so that a failed commit does not concern the result. A write is a fault. An error
 * of a statement that `work` catches does not fail the read.
 */
export const readOnly = <T>(
  database: Database,
  organizationId: string,
  work: (scope: Scope) => Promise<T>,
): Promise<T> =>
  inReadOnlyTransaction(database, async (tx) =>
    work(await openScope(database, tx, organizationId, SET_READ_ONLY_ORGANIZATION)),
  )

/**
 * Like `readOnly`; the statements of `first`, which only reads, are sent together with the start of
 * the transaction, which saves a round trip. `first` receives the time of this process, because that
 * of the database is not known yet.
 */
export const readOnlyPipelined = <First, T>(
  database: Database,
  organizationId: string,
  first: (scope: PipelinedScope, processNow: Date) => Promise<First>,
  work: (scope: Scope, loaded: First) => Promise<T>,
): Promise<T> =>
  inReadOnlyTransaction(database, async (tx) => {
    const [scope, loaded] = await loadPipelined(database, tx, organizationId, first)
    return work(scope, loaded)
  })

export interface Loaded<T> {
  /** Database time at the start of the transaction. */
  now: Date
  loaded: T
}

/**
 * Like `readOnlyPipelined` without `work`; the end of the transaction is sent with the statements of
 * `load`, so that the read takes one round trip. `load` sends all of them before it awaits a response:
 * later ones are rejected.
 */
export const readOnlyAtOnce = <T>(
  database: Database,
  organizationId: string,
  load: (scope: PipelinedScope, processNow: Date) => Promise<T>,
): Promise<Loaded<T>> =>
  inReadOnlyTransaction(database, async (tx) => {
    commitAtOnce(driverTransactionOf(tx))
    const [{ now }, loaded] = await loadPipelined(database, tx, organizationId, load)
    return { now, loaded }
  })

const loadPipelined = <T>(
  database: Database,
  tx: Tx,
  organizationId: string,
  load: (scope: PipelinedScope, processNow: Date) => Promise<T>,
): Promise<[Scope, T]> =>
  Promise.all([
    // Sent first, so that row-level security applies to all that follows.
    openScope(database, tx, organizationId, SET_READ_ONLY_ORGANIZATION),
    load({ organizationId, tx, [brand]: true }, new Date(Date.now() + database.clock.offsetMs())),
  ])

/** Internal to this package: a transaction in which only the organization's rows are visible. */
export const inScope = <T>(
  database: Database,
  organizationId: string,
  work: (scope: Scope) => Promise<T>,
): Promise<T> =>
  inTransaction(database, async (tx) => work(await openScope(database, tx, organizationId)))

const SET_ORGANIZATION = "SELECT set_config('app.org', $1, true), now() AS now"
const SET_READ_ONLY_ORGANIZATION =
  "SELECT set_config('app.org', $1, true), set_config('transaction_read_only', 'on', true), now() AS now"

/**
 * Sets the organization until the end of the transaction; the session form would leak to the next
 * one. The statement is sent with the start of the transaction.
 */
export const openScope = async (
  database: Database,
  tx: Tx,
  organizationId: string,
  statement: string = SET_ORGANIZATION,
): Promise<Scope> => {
  const query = sendWithBegin(driverTransactionOf(tx)).unsafe<{ now: string }[]>(statement, [
    organizationId,
  ])
  // Queued at once, before any other statement of the transaction.
  const [row] = await query.execute()
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

/** Resolves with the result of `work`; the connection is used again after the commit. */
const inReadOnlyTransaction = <T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    inTransaction(database, async (tx) => {
      try {
        resolve(await work(tx))
      } catch (error) {
        throw isRefusedWrite(error) ? refusedWrite(error) : error
      }
    }).catch(reject)
  })

/** Fault, as opposed to the same error of a database that is read-only as a whole. */
const refusedWrite = (cause: unknown): AppError =>
  Object.assign(new AppError('INTERNAL_ERROR', 'A read-only transaction cannot write'), { cause })

export const databaseTimeOf = (database: Database, now: string | undefined): Date =>
  new Date(new Date(now ?? Number.NaN).getTime() + database.clock.offsetMs())
