/**
 * A drizzle query that is built once and then only filled: to build a select of a wide table costs
 * more than all else of asking it. What varies is a placeholder, a list `= ANY(…)` of one.
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

/** `build` runs for the first Scope only, so it takes nothing else from it. Dates go in as text. */
export const preparedQuery = <Query extends { prepare(name: string): Prepared }>(
  build: (tx: Tx) => Query,
) => {
  let built: Prepared | null = null
  return ({ tx }: Pick<Scope, 'tx'>, values: Record<string, unknown>): Promise<Rows<Query>> => {
    built ??= build(tx).prepare('statement')
    const own: Prepared = Object.create(built, { client: { value: clientOf(tx) } })
    return own.execute(values) as Promise<Rows<Query>>
  }
}

/** The driver's side of a transaction, for texts that need no builder. */
export const clientOf = (tx: Tx): postgres.TransactionSql =>
  (tx._.session as PgSession & { client: postgres.TransactionSql }).client
