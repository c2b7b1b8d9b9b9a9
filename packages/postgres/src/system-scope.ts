/**
 * System scope: a transaction over all organizations, with a role whose grants list the columns
 * that it may access.
 */
import type { Actor, OutcomeDrafts } from '@status-page/contracts'
import { sql } from 'drizzle-orm'
import type postgres from 'postgres'
import type { Database } from './connect.ts'
import { driverTransactionOf, runPrepared, sendWithBegin, type Tx } from './driver.ts'
import { toAppError } from './failure.ts'
import { faultPoint } from './fault.ts'
import { appendToOutbox, outboxRowsOf } from './outbox.ts'
import { withOneRetry } from './retry.ts'
import { databaseTimeOf, inTransaction } from './scope.ts'

const brand: unique symbol = Symbol('crossing')

export interface SystemScope {
  readonly now: Date
  readonly tx: Tx
  readonly [brand]: true
}

export interface RawSystemScope {
  readonly now: Date
  readonly sql: postgres.TransactionSql
  readonly [brand]: true
}

/** Outcome of a system transaction in one organization. */
export interface OrganizationOutcome extends OutcomeDrafts {
  organizationId: string
  actor: Actor
}

/** Runs a job's transaction across tenants: claims, leases, batch results, retention. */
export const asWorker = <T>(
  database: Database,
  work: (systemScope: SystemScope) => Promise<T>,
): Promise<T> =>
  inTransaction(database, async (tx) => work(await openSystemScope(database, tx, 'due')))

/** Runs a lookup of the organization by key, session, slug or hook id. */
export const asLookup = <T>(
  database: Database,
  work: (systemScope: SystemScope) => Promise<T>,
): Promise<T> =>
  inTransaction(database, async (tx) => work(await openSystemScope(database, tx, 'lookup')))

/** Like `asWorker` on the batch client, whose serializers support `unnest`. */
export const asWorkerRaw = async <T>(
  database: Database,
  work: (systemScope: RawSystemScope) => Promise<T>,
): Promise<T> => {
  try {
    const result = await database.batchSql.begin(async (sql) => {
      const [row] = await sendWithBegin(sql)<{ now: string }[]>`
        SELECT set_config('role', session_user || '_due', true), now()::text AS now`
      return { value: await work({ now: databaseTimeOf(database, row?.now), sql, [brand]: true }) }
    })
    return (result as { value: T }).value
  } catch (error) {
    throw toAppError(error)
  }
}

/**
 * Reads which of the conditions, which have no parameters, are true for the role of workers. The
 * whole transaction is one round trip: `begin` of the driver takes a second one, with a third of the
 * processor time. After a failed statement, COMMIT rolls back.
 */
export const readDue = async (
  { batchSql }: Pick<Database, 'batchSql'>,
  conditions: readonly string[],
): Promise<boolean[]> => {
  try {
    const sql = await batchSql.reserve()
    const statements = [
      sql`BEGIN`,
      sql`SELECT set_config('role', session_user || '_due', true)`,
      runPrepared(sql, `SELECT ${conditions.join(', ')}`).values(),
      sql`COMMIT`,
    ] as const
    // The connection is released after the last response, also when another statement has failed.
    await Promise.allSettled(statements)
    sql.release()
    const [, , [due]] = await Promise.all(statements)
    return due as boolean[]
  } catch (error) {
    throw toAppError(error)
  }
}

/** Result of a system transaction, and its outcome in each organization. */
export interface SystemOutcome<T> {
  result: T
  organizations: readonly OrganizationOutcome[]
}

type SystemTransaction<T> = (systemScope: SystemScope) => Promise<SystemOutcome<T>>

/** Runs a job's transaction and commits its writes, events and audit entries together. */
export const transactAsWorker = <T>(database: Database, work: SystemTransaction<T>): Promise<T> =>
  transactAcross(database, 'due', work)

/**
 * Like `transactAsWorker` for data of no single organization, such as an account with its sessions.
 */
export const transactAsLookup = <T>(database: Database, work: SystemTransaction<T>): Promise<T> =>
  transactAcross(database, 'lookup', work)

const transactAcross = async <T>(
  database: Database,
  kind: 'due' | 'lookup',
  work: SystemTransaction<T>,
): Promise<T> => {
  const result = await withOneRetry(() =>
    inTransaction(database, async (tx) => {
      const systemScope = await openSystemScope(database, tx, kind)
      const { result, organizations } = await work(systemScope)
      await tx.execute(sql`RESET ROLE`)
      await appendToOutbox(
        tx,
        organizations.flatMap((outcome) =>
          outboxRowsOf(outcome.organizationId, systemScope.now, outcome.actor, outcome),
        ),
      )
      faultPoint('crossing.before_commit')
      return result
    }),
  )
  faultPoint('crossing.after_commit')
  return result
}

/** SET LOCAL ROLE and the time in one query; the roles are named after the login role. */
const SET_ROLE = "SELECT set_config('role', session_user || $1::text, true), now() AS now"

const openSystemScope = async (
  database: Database,
  tx: Tx,
  kind: 'due' | 'lookup',
): Promise<SystemScope> => {
  const query = sendWithBegin(driverTransactionOf(tx))
  const [row] = await query.unsafe<{ now: string }[]>(SET_ROLE, [`_${kind}`])
  return { now: databaseTimeOf(database, row?.now), tx, [brand]: true }
}
