/** A Crossing sees all organizations, through a role whose grants name the columns it may touch. */
import type { Actor, AuditDraft, EventDraft } from '@status-page/contracts'
import { sql } from 'drizzle-orm'
import type postgres from 'postgres'
import type { Database } from './connect.ts'
import { asAppError } from './failure.ts'
import { faultPoint } from './fault.ts'
import { append, rowsOf } from './outbox.ts'
import { clientOf } from './prepared-query.ts'
import { withOneRetry } from './retry.ts'
import { inTransaction, type Tx, timeOf } from './scope.ts'

const made: unique symbol = Symbol('crossing')

export interface SystemScope {
  readonly now: Date
  readonly tx: Tx
  readonly [made]: true
}

export interface RawSystemScope {
  readonly now: Date
  readonly sql: postgres.TransactionSql
  readonly [made]: true
}

/** What a crossing did in one organization. */
export interface OrganizationOutcome {
  organizationId: string
  actor: Actor
  events: readonly EventDraft[]
  audit: readonly AuditDraft[]
}

/** Claims, leases, batched outcomes, retention: everything that due work does across tenants. */
export const asWorker = <T>(
  database: Database,
  work: (systemScope: SystemScope) => Promise<T>,
): Promise<T> =>
  inTransaction(database, async (tx) => work(await openSystemScope(database, tx, 'due')))

/** Finding the organization in the first place: by key, session, slug, hook id. */
export const asLookup = <T>(
  database: Database,
  work: (systemScope: SystemScope) => Promise<T>,
): Promise<T> =>
  inTransaction(database, async (tx) => work(await openSystemScope(database, tx, 'lookup')))

/** As `crossDue` on the client for batches: `unnest` through postgres.js's own serializers. */
export const asWorkerRaw = async <T>(
  database: Database,
  work: (systemScope: RawSystemScope) => Promise<T>,
): Promise<T> => {
  try {
    const result = await database.batchSql.begin(async (sql) => {
      const [row] = await sql<{ now: string }[]>`
        SELECT set_config('role', session_user || '_due', true), now()::text AS now`
      return { value: await work({ now: timeOf(database, row?.now), sql, [made]: true }) }
    })
    return (result as { value: T }).value
  } catch (error) {
    throw asAppError(error)
  }
}

/** What a crossing decided, and what became true by it in each organization. */
export interface SystemOutcome<T> {
  result: T
  organizations: readonly OrganizationOutcome[]
}

type SystemTransaction<T> = (systemScope: SystemScope) => Promise<SystemOutcome<T>>

/** Due work whose outcomes are facts: its writes, events and audit entries in one commit. */
export const transactAsWorker = <T>(database: Database, work: SystemTransaction<T>): Promise<T> =>
  transactAcross(database, 'due', work)

/** The same for what belongs to no one organization, such as an account with all its sessions. */
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
      await append(
        tx,
        organizations.flatMap((one) => rowsOf(one.organizationId, systemScope.now, one.actor, one)),
      )
      faultPoint('crossing.before_commit')
      return result
    }),
  )
  faultPoint('crossing.after_commit')
  return result
}

/** What SET LOCAL ROLE does, and the time with it; roles are named after the login role. */
const CROSS = "SELECT set_config('role', session_user || $1::text, true), now() AS now"

const openSystemScope = async (
  database: Database,
  tx: Tx,
  kind: 'due' | 'lookup',
): Promise<SystemScope> => {
  const [row] = await clientOf(tx).unsafe<{ now: string }[]>(CROSS, [`_${kind}`])
  return { now: timeOf(database, row?.now), tx, [made]: true }
}
