/** Session locks on one direct connection: who holds one is the only replica that does that work. */
import type { Database, Dedicated } from '@status-page/postgres'
import { run, type Sql } from './outbox-queries.ts'

export interface Locks {
  /**
   * The connection that holds the lock, or null when another replica has it. Taken once it is kept
   * until the connection ends; asking again is cheap and notices a lost connection.
   */
  keep(name: string): Promise<Sql | null>
  /** Runs `work` under the lock; false at once when another replica has it. */
  holding(name: string, work: () => Promise<boolean>): Promise<boolean>
  close(): Promise<void>
}

export const createLocks = (database: Database): Locks => {
  let opening: Promise<Dedicated> | null = null

  const connection = (): Promise<Dedicated> => {
    opening ??= database.dedicated().then(
      (dedicated) => {
        dedicated.lost.then(() => {
          opening = null
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
  /** A statement on a connection that is lost would wait for ever; so it ends with the connection. */
  const guarded = (dedicated: Dedicated): Sql => ({
    unsafe: ((...statement: Parameters<Dedicated['unsafe']>) =>
      Promise.race([
        dedicated.unsafe(...statement),
        dedicated.lost.then(() => {
          throw new Error('The connection that holds the locks is lost')
        }),
      ])) as Sql['unsafe'],
  })
  /** Within a session the lock is re-entrant: asking again counts up, and the end of it frees all. */
  const tryLock = async (sql: Sql, name: string) => {
    const [row] = await run<{ held: boolean }>(
      sql,
      `SELECT pg_try_advisory_lock(hashtextextended($1::text, 0)) AS held`,
      [name],
    )
    return row?.held ?? false
  }

  return {
    async keep(name) {
      const sql = guarded(await connection())
      return (await tryLock(sql, name)) ? sql : null
    },
    async holding(name, work) {
      const sql = guarded(await connection())
      if (!(await tryLock(sql, name))) return false
      try {
        return await work()
      } finally {
        await run(sql, `SELECT pg_advisory_unlock(hashtextextended($1::text, 0))`, [name]).catch(
          () => {
            // The connection is gone, and the lock with it.
          },
        )
      }
    },
    async close() {
      await opening?.then((dedicated) => dedicated.close()).catch(() => {})
    },
  }
}
