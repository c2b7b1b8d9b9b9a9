/**
 * What the previous key has sealed is sealed anew in the background, so that the key can go: once nothing
 * of it is left, the log says so. A record that does not open stays as it is, and is an alarm.
 */
import type { DueWork } from '@status-page/postgres'
import { type SealContext, SealError, type Sealer } from '@status-page/secrets'
import type { Logger } from './logger.ts'

const INTERVAL_MS = 3_600_000
const BATCH_ROWS = 100

export interface SealedRow {
  id: string
  sealed: string
  context: SealContext
}

export interface ResealOptions {
  /** Of what is sealed, `two-factor`. */
  name: string
  sealer: Sealer
  logger: Pick<Logger, 'info' | 'error'>
  /** Those that do not begin with the sealer's prefix, by id, behind `after`. */
  list(after: string | null, limit: number): Promise<SealedRow[]>
  /** Leaves a record alone that has changed meanwhile: whoever wrote it used the current key. */
  replace(row: SealedRow, sealed: string): Promise<void>
}

export const resealWork = (options: ResealOptions): DueWork => {
  const { name, logger, list } = options
  let isTold = false
  return {
    name: `reseal-${name}`,
    intervalMs: INTERVAL_MS,
    async run(signal) {
      let unread = 0
      let after: string | null = null
      for (;;) {
        const rows: SealedRow[] = await list(after, BATCH_ROWS)
        for (const row of rows) if (!(await reseal(row, options))) unread++
        after = rows.at(-1)?.id ?? null
        if (signal.aborted) return 0
        if (rows.length < BATCH_ROWS) break
      }
      if (unread === 0 && !isTold) logger.info({ sealed: name }, 'nothing needs the previous key')
      isTold = unread === 0
      return 0
    },
  }
}

/** False for one that does not open. */
const reseal = async (
  row: SealedRow,
  { name, sealer, logger, replace }: ResealOptions,
): Promise<boolean> => {
  try {
    await replace(row, sealer.seal(sealer.open(row.sealed, row.context), row.context))
    return true
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    const alarm = { err: error, alarm: 'sealed_record', sealed: name, id: row.id }
    logger.error(alarm, 'a sealed record does not open')
    return false
  }
}
