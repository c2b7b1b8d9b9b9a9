/** Session locks on one direct connection: who holds one is the only replica that does that work. */
import type { Database, Dedicated } from '@status-page/postgres'
import { run } from './feeds.ts'

export interface Locks {
  /**
   * The connection that holds the lock, or null when another replica has it. Taken once it is kept
   * until the connection ends; asking again is cheap and notices a lost connection.
   */
  keep(name: string): Promise<Dedicated | null>
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
  /** Within a session the lock is re-entrant: asking again counts up, and the end of it frees all. */
  const tryLock = async (dedicated: Dedicated, name: string) => {
    const [row] = await run<{ held: boolean }>(
      dedicated,
      `SELECT pg_try_advisory_lock(hashtextextended($1::text, 0)) AS held`,
      [name],
    )
    return row?.held ?? false
  }

  return {
    async keep(name) {
      const dedicated = await connection()
      return (await tryLock(dedicated, name)) ? dedicated : null
    },
    async holding(name, work) {
      const dedicated = await connection()
      if (!(await tryLock(dedicated, name))) return false
      try {
        return await work()
      } finally {
        await run(dedicated, `SELECT pg_advisory_unlock(hashtextextended($1::text, 0))`, [
          name,
        ]).catch(() => {
          // The connection is gone, and the lock with it.
        })
      }
    },
    async close() {
      await opening?.then((dedicated) => dedicated.close()).catch(() => {})
    },
  }
}
