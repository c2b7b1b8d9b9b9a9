/**
 * Session-level advisory locks on one dedicated connection; the replica that holds a lock does its
 * work alone.
 */
import type { Database, DedicatedConnection } from '@status-page/postgres'
import { runStatement, type Sql } from './outbox-queries.ts'

export interface Locks {
  /**
   * Returns the connection that holds the lock, or null when another replica holds it. The lock
   * lasts until the connection ends, of which the next statement of the caller learns; repeated
   * calls until then need no query.
   */
  acquire(name: string): Promise<Sql | null>
  /** Runs `work` under the lock; returns false at once when another replica holds it. */
  withLock(name: string, work: () => Promise<boolean>): Promise<boolean>
  close(): Promise<void>
}

export const createLocks = (database: Database): Locks => {
  let opening: Promise<DedicatedConnection> | null = null
  /** Locks of the present connection. */
  const acquired = new Set<string>()

  const connection = (): Promise<DedicatedConnection> => {
    opening ??= database.dedicated().then(
      (dedicated) => {
        dedicated.lost.then(() => {
          opening = null
          acquired.clear()
        })
        return dedicated
      },
      (error: unknown) => {
        opening = null
        throw error
      },
    )
    return opening
  }

  return {
    async acquire(name) {
      const sql = await connection()
      if (acquired.has(name)) return sql
      if (!(await tryLock(sql, name))) return null
      acquired.add(name)
      return sql
    },
    async withLock(name, work) {
      const sql = await connection()
      if (!(await tryLock(sql, name))) return false
      try {
        return await work()
      } finally {
        await runStatement(sql, `SELECT pg_advisory_unlock(hashtextextended($1::text, 0))`, [
          name,
        ]).catch(() => {
          // The lost connection has released the lock.
        })
      }
    },
    async close() {
      await opening?.then((dedicated) => dedicated.close()).catch(() => {})
    },
  }
}

/**
 * Takes the lock. It is re-entrant within a session; the end of the session releases all levels.
 */
const tryLock = async (sql: Sql, name: string) => {
  const [row] = await runStatement<{ held: boolean }>(
    sql,
    `SELECT pg_try_advisory_lock(hashtextextended($1::text, 0)) AS held`,
    [name],
  )
  return row?.held ?? false
}
