/**
 * Key rotation: re-encrypts records of the previous key in the background and logs when none is
 * left, so that the key can be removed. A record that cannot be decrypted stays unchanged and
 * raises an alarm.
 */
import type { Job } from '@status-page/postgres'
import { type SealContext, SealError, type Sealer } from '@status-page/secrets'
import type { Logger } from './logger.ts'

const INTERVAL_MS = 3_600_000
const BATCH_RECORDS = 100

export interface EncryptedText {
  sealed: string
  context: SealContext
}

export interface EncryptedRecord {
  id: string
  /** Sealed texts of the record; those of the current key are skipped. */
  texts: readonly EncryptedText[]
}

/** One kind of records with sealed texts. */
export interface EncryptedSource {
  /** Name of the sealed data, such as `two-factor`. */
  name: string
  /** Lists records with a text that lacks the sealer's current prefix, by id, after `after`. */
  list(after: string | null, limit: number): Promise<EncryptedRecord[]>
  /**
   * Replaces a text; a record changed in the meantime stays, since its writer used the current key.
   */
  replace(change: { id: string; from: string; to: string }): Promise<void>
}

export interface KeyRotationOptions {
  sealer: Sealer
  logger: Pick<Logger, 'info' | 'error'>
  sources: readonly EncryptedSource[]
}

export const keyRotationJob = ({ sealer, logger, sources }: KeyRotationOptions): Job => {
  let isReported = false
  return {
    name: 'reseal',
    intervalMs: INTERVAL_MS,
    async run(signal) {
      const count: Count = { resealed: 0, unread: 0 }
      for (const source of sources) await resealAll({ source, sealer, logger, count, signal })
      if (signal.aborted) return 0
      const { resealed, unread } = count
      if (unread === 0 && (resealed > 0 || !isReported)) {
        logger.info({ resealed }, 'no records use the previous key')
      }
      isReported = unread === 0
      return 0
    },
  }
}

interface Count {
  resealed: number
  unread: number
}

interface RotationRun extends Omit<KeyRotationOptions, 'sources'> {
  source: EncryptedSource
  count: Count
}

const resealAll = async (run: RotationRun & { signal: AbortSignal }): Promise<void> => {
  let after: string | null = null
  while (!run.signal.aborted) {
    const records: EncryptedRecord[] = await run.source.list(after, BATCH_RECORDS)
    for (const { id, texts } of records) {
      for (const text of texts) await reseal(run, id, text)
    }
    if (records.length < BATCH_RECORDS) return
    after = records.at(-1)?.id ?? null
  }
}

const reseal = async (
  { source, sealer, logger, count }: RotationRun,
  id: string,
  { sealed, context }: EncryptedText,
): Promise<void> => {
  if (sealed.startsWith(sealer.prefix)) return
  try {
    const to = sealer.seal(sealer.open(sealed, context), context)
    await source.replace({ id, from: sealed, to })
    count.resealed++
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    const alarm = { err: error, alarm: 'sealed_record', sealed: source.name, id }
    logger.error(alarm, 'failed to decrypt a record')
    count.unread++
  }
}
