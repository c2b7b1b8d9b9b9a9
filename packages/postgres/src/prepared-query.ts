/**
 * Drizzle query that is built once and executed with different values: building a select of a wide
 * table costs more than the rest of the query. Variable parts are placeholders, lists `= ANY(…)` of
 * one.
 */
import type { PgSession } from 'drizzle-orm/pg-core'
import type postgres from 'postgres'
import type { Scope, Tx } from './scope.ts'

interface Prepared {
  execute(values?: Record<string, unknown>): Promise<unknown>
}

type Rows<Query extends { prepare(name: string): Prepared }> = Awaited<
  ReturnType<ReturnType<Query['prepare']>['execute']>
>

/**
 * Prepares a query. `build` runs for the first scope only, so it uses nothing else of it. Dates are
 * passed as text.
 */
export const preparedQuery = <Query extends { prepare(name: string): Prepared }>(
  build: (tx: Tx) => Query,
) => {
  let prepared: Prepared | null = null
  return ({ tx }: Pick<Scope, 'tx'>, values: Record<string, unknown>): Promise<Rows<Query>> => {
    prepared ??= build(tx).prepare('statement')
    const bound: Prepared = Object.create(prepared, { client: { value: driverTransactionOf(tx) } })
    return bound.execute(values) as Promise<Rows<Query>>
  }
}

/** Driver's transaction, for plain SQL without the query builder. */
export const driverTransactionOf = (tx: Tx): postgres.TransactionSql =>
  (tx._.session as PgSession & { client: postgres.TransactionSql }).client
