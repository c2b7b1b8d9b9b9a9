/**
 * Deletion of an organization in one service: its rows are deleted in bounded batches, each in its
 * own transaction, from the first table to the last. A row of `erasure` drives the deletion, so
 * another replica continues the work of a killed process.
 */
import {
  type EventDraft,
  subjectOf,
  systemActor,
  type TransactionOutcome,
} from '@status-page/contracts'
import { sql } from 'drizzle-orm'
import type { Database } from './connect.ts'
import type { Tx } from './driver.ts'
import { faultPoint } from './fault.ts'
import type { Job } from './jobs.ts'
import { read, type Scope } from './scope.ts'
import { transact } from './transaction.ts'

/** Rows of one batch; about 50 ms with their indexes. */
const BATCH_ROWS = 1_000
const INTERVAL_MS = 10_000
/** Pause after a step that waits for other work. */
const PENDING_SECONDS = 5
/** Pause of an organization whose batch failed; others continue. */
const FAILED_SECONDS = 30
/** A tombstone is checked again once a day, for rows of extremely slow writers. */
const RECHECK_SECONDS = 86_400

/** Kinds of events about the deletion itself; their data are ids and counts. */
const OWN_KINDS = ['organization.deleted', 'erasure.completed']

/** Number of rows that a batch deleted; `pending`: the step waits for other work. */
export type ErasedRowCount = number | 'pending'

/** Part of the deletion that needs more than `DELETE FROM`. */
export interface ErasureStep {
  name: string
  run(database: Database, organizationId: string): Promise<ErasedRowCount>
}

/** Table with `organization_id`, or a step, in the order in which they are emptied. */
export type ErasurePart = string | ErasureStep

export interface ErasureOptions {
  database: Database
  /** Referencing tables before the tables that they reference. */
  parts: readonly ErasurePart[]
  /** Time without a row found before the deletion counts as complete. */
  settleSeconds: number
  /** Receipt event, appended in the transaction that completes the deletion. */
  receipt(organizationId: string, deletedRows: number): EventDraft
  logger: {
    info(details: object, message: string): void
    error(details: object, message: string): void
  }
}

/** Marks the organization as deleted in this service; the deletion starts after the commit. */
export const requestErasure = async ({ tx, organizationId }: Scope): Promise<void> => {
  await tx.execute(sql`
    INSERT INTO erasure (organization_id) VALUES (${organizationId}) ON CONFLICT DO NOTHING`)
}

/** Returns whether the organization was deleted. */
export const isErased = async (tx: Tx, organizationId: string): Promise<boolean> => {
  const rows = await tx.execute(sql`SELECT FROM erasure WHERE organization_id = ${organizationId}`)
  return rows.length > 0
}

/** Job that deletes one batch of one organization per run; organizations take turns. */
export const erasureJob = (options: ErasureOptions): Job => ({
  name: 'erasure',
  intervalMs: INTERVAL_MS,
  async run() {
    const { database, logger } = options
    const organizationId = await nextDue(database)
    if (organizationId === null) return 0
    try {
      await eraseBatch(options, organizationId)
    } catch (error) {
      logger.error({ err: error, organizationId }, 'failed to delete a batch of an organization')
      await postpone(database, organizationId, FAILED_SECONDS)
    }
    return 1
  },
})

const nextDue = async ({ batchSql }: Database): Promise<string | null> => {
  const [row] = await batchSql<{ organization_id: string }[]>`
    SELECT organization_id FROM erasure WHERE next_at <= now() ORDER BY next_at LIMIT 1`
  return row?.organization_id ?? null
}

const eraseBatch = async (options: ErasureOptions, organizationId: string): Promise<void> => {
  const { database, parts } = options
  let isPending = false
  for (const part of [...parts, ...sharedTables]) {
    const erased = await runPart(database, organizationId, part)
    faultPoint('erasure.after_batch')
    // Other parts continue: removing exported files takes ten minutes.
    if (erased === 'pending') isPending = true
    else if (erased > 0) return countRows(database, organizationId, erased)
  }
  if (isPending) await postpone(database, organizationId, PENDING_SECONDS)
  else await settle(options, organizationId)
}

const runPart = (
  database: Database,
  organizationId: string,
  part: ErasurePart,
): Promise<ErasedRowCount> =>
  typeof part === 'string'
    ? read(database, organizationId, ({ tx }) => deleteBatch(tx, part, organizationId))
    : part.run(database, organizationId)

/** Deletes one batch of a table; the table name is a constant of the service, never input. */
export const deleteBatch = async (
  tx: Tx,
  table: string,
  organizationId: string,
): Promise<number> => {
  const name = sql.identifier(table)
  const rows = await tx.execute(sql`
    DELETE FROM ${name} WHERE organization_id = ${organizationId}
      AND ctid = ANY (ARRAY(SELECT ctid FROM ${name}
        WHERE organization_id = ${organizationId} LIMIT ${BATCH_ROWS}))
    RETURNING 1`)
  return rows.length
}

/**
 * Step for a table that references itself: deletes rows without children first, as the foreign key
 * requires at the end of each batch.
 */
export const leavesFirstStep = (table: string, parent: string): ErasureStep => ({
  name: table,
  run: (database, organizationId) =>
    read(database, organizationId, async ({ tx }) => {
      const rows = await tx.execute(sql`
        DELETE FROM ${sql.identifier(table)} WHERE organization_id = ${organizationId}
          AND id IN (SELECT o.id FROM ${sql.identifier(table)} o
            WHERE o.organization_id = ${organizationId} AND NOT EXISTS (
              SELECT FROM ${sql.identifier(table)} c WHERE c.organization_id = o.organization_id
                AND c.${sql.identifier(parent)} = o.id)
            LIMIT ${BATCH_ROWS})
        RETURNING 1`)
      return rows.length
    }),
})

/** Step that notifies replicas, which cache rows of the table, with the key of each deleted row. */
export const notifyingStep = (table: string, channel: string, column: string): ErasureStep => ({
  name: table,
  run: (database, organizationId) =>
    read(database, organizationId, async ({ tx }) => {
      const rows = await tx.execute(sql`
        WITH gone AS (DELETE FROM ${sql.identifier(table)}
          WHERE organization_id = ${organizationId} AND ${sql.identifier(column)} IN (
            SELECT ${sql.identifier(column)} FROM ${sql.identifier(table)}
            WHERE organization_id = ${organizationId} LIMIT ${BATCH_ROWS})
          RETURNING ${sql.identifier(column)}::text AS key)
        SELECT pg_notify(${channel}, key) FROM gone`)
      return rows.length
    }),
})

const listOf = (values: readonly string[]) =>
  sql.join(
    values.map((value) => sql`${value}`),
    sql`, `,
  )

const ownSubjects = (organizationId: string) =>
  OWN_KINDS.map((kind) => subjectOf(kind, organizationId))

/**
 * Events, stored responses and quarantined events of the organization in the tables of this
 * package.
 */
const sharedTables: readonly ErasureStep[] = [
  {
    name: 'outbox',
    run: (database, organizationId) =>
      read(database, organizationId, async ({ tx }) => {
        const rows = await tx.execute(sql`
          DELETE FROM outbox WHERE seq IN (SELECT seq FROM outbox
            WHERE organization_id = ${organizationId} AND kind NOT IN (${listOf(OWN_KINDS)})
            LIMIT ${BATCH_ROWS}) RETURNING 1`)
        return rows.length
      }),
  },
  {
    name: 'dead_event',
    run: (database, organizationId) =>
      read(database, organizationId, async ({ tx }) => {
        const rows = await tx.execute(sql`
          DELETE FROM dead_event WHERE subject LIKE ${`events.%.${organizationId}`}
            AND subject NOT IN (${listOf(ownSubjects(organizationId))}) RETURNING 1`)
        return rows.length
      }),
  },
  {
    name: 'idempotency',
    run: (database, organizationId) =>
      read(database, organizationId, ({ tx }) => deleteBatch(tx, 'idempotency', organizationId)),
  },
]

const postpone = async ({ batchSql }: Database, organizationId: string, seconds: number) => {
  await batchSql`
    UPDATE erasure SET empty_since = NULL, next_at = now() + make_interval(secs => ${seconds})
    WHERE organization_id = ${organizationId}`
}

/** Counts deleted rows and puts the organization behind those that have waited longer. */
const countRows = async ({ batchSql }: Database, organizationId: string, rows: number) => {
  await batchSql`
    UPDATE erasure SET empty_since = NULL, next_at = now(), deleted_rows = deleted_rows + ${rows}
    WHERE organization_id = ${organizationId}`
}

/**
 * Completes the deletion when no row was found for long enough; otherwise schedules another check.
 */
const settle = async (options: ErasureOptions, organizationId: string): Promise<void> => {
  const { database, settleSeconds, receipt, logger } = options
  const deletedRows = await transact(
    database,
    { organizationId, actor: systemActor },
    async ({ tx }): Promise<TransactionOutcome<number | null>> => {
      const [completed] = await tx.execute<{ deleted_rows: string }>(sql`
        UPDATE erasure SET completed_at = now(),
          next_at = now() + make_interval(secs => ${RECHECK_SECONDS})
        WHERE organization_id = ${organizationId} AND completed_at IS NULL
          AND empty_since <= now() - make_interval(secs => ${settleSeconds})
        RETURNING deleted_rows::text`)
      if (completed !== undefined) {
        const rows = Number(completed.deleted_rows)
        return { result: rows, events: [receipt(organizationId, rows)], audit: [] }
      }
      await tx.execute(sql`
        UPDATE erasure SET empty_since = coalesce(empty_since, now()),
          next_at = now() + make_interval(secs =>
            CASE WHEN completed_at IS NULL THEN ${settleSeconds}::int ELSE ${RECHECK_SECONDS}::int END)
        WHERE organization_id = ${organizationId}`)
      return { result: null }
    },
  )
  if (deletedRows !== null) logger.info({ organizationId, deletedRows }, 'organization deleted')
}
