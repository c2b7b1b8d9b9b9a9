/** A Crossing sees all organizations, through a role whose grants name the columns it may touch. */
import type { Actor, AuditDraft, EventDraft } from '@status-page/contracts'
import { sql } from 'drizzle-orm'
import type postgres from 'postgres'
import type { Database } from './connect.ts'
import { asAppError } from './failure.ts'
import { faultPoint } from './fault.ts'
import { append, rowsOf } from './outbox.ts'
import { retryingOnce } from './retry.ts'
import { inTransaction, type Tx, timeOf } from './scope.ts'
import { clientOf } from './statement.ts'

const made: unique symbol = Symbol('crossing')

export interface Crossing {
  readonly now: Date
  readonly tx: Tx
  readonly [made]: true
}

export interface HotCrossing {
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
export const crossDue = <T>(
  database: Database,
  work: (crossing: Crossing) => Promise<T>,
): Promise<T> => inTransaction(database, async (tx) => work(await cross(database, tx, 'due')))

/** Finding the organization in the first place: by key, session, slug, hook id. */
export const crossLookup = <T>(
  database: Database,
  work: (crossing: Crossing) => Promise<T>,
): Promise<T> => inTransaction(database, async (tx) => work(await cross(database, tx, 'lookup')))

/** As `crossDue` on the client for batches: `unnest` through postgres.js's own serializers. */
export const crossDueHot = async <T>(
  database: Database,
  work: (crossing: HotCrossing) => Promise<T>,
): Promise<T> => {
  try {
    const result = await database.hot.begin(async (sql) => {
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
export interface CrossingOutcome<T> {
  result: T
  organizations: readonly OrganizationOutcome[]
}

type ChangingWork<T> = (crossing: Crossing) => Promise<CrossingOutcome<T>>

/** Due work whose outcomes are facts: its writes, events and audit entries in one commit. */
export const changeDue = <T>(database: Database, work: ChangingWork<T>): Promise<T> =>
  changeAcross(database, 'due', work)

/** The same for what belongs to no one organization, such as an account with all its sessions. */
export const changeLookup = <T>(database: Database, work: ChangingWork<T>): Promise<T> =>
  changeAcross(database, 'lookup', work)

const changeAcross = async <T>(
  database: Database,
  kind: 'due' | 'lookup',
  work: ChangingWork<T>,
): Promise<T> => {
  const result = await retryingOnce(() =>
    inTransaction(database, async (tx) => {
      const crossing = await cross(database, tx, kind)
      const { result, organizations } = await work(crossing)
      await tx.execute(sql`RESET ROLE`)
      await append(
        tx,
        organizations.flatMap((one) => rowsOf(one.organizationId, crossing.now, one.actor, one)),
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

const cross = async (database: Database, tx: Tx, kind: 'due' | 'lookup'): Promise<Crossing> => {
  const [row] = await clientOf(tx).unsafe<{ now: string }[]>(CROSS, [`_${kind}`])
  return { now: timeOf(database, row?.now), tx, [made]: true }
}
