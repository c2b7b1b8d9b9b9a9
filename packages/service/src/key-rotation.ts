/**
 * Key rotation: re-encrypts records of the previous key in the background and logs when none is
 * left, so that the key can be removed. A record that cannot be decrypted stays unchanged and
 * raises an alarm; no failure of a record or a source stops the others.
 */
import { isConnectionLost, type Job } from '@status-page/postgres'
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
  /** Encrypted texts of the record; those of the current key are skipped. */
  texts: readonly EncryptedText[]
}

/** One kind of records with encrypted texts. */
export interface EncryptedSource {
  /** Name of the encrypted data, such as `two-factor`. */
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
    name: 'key-rotation',
    intervalMs: INTERVAL_MS,
    async run(signal) {
      const count: Count = { reencrypted: 0, failed: 0 }
      for (const source of sources) await reencryptAll({ source, sealer, logger, count, signal })
      if (signal.aborted) return 0
      const { reencrypted, failed } = count
      if (failed === 0 && (reencrypted > 0 || !isReported)) {
        logger.info({ reencrypted }, 'no records use the previous key')
      }
      isReported = failed === 0
      return 0
    },
  }
}

interface Count {
  reencrypted: number
  /** Texts and lists of records that failed; the next run repeats them. */
  failed: number
}

interface RotationRun extends Omit<KeyRotationOptions, 'sources'> {
  source: EncryptedSource
  count: Count
}

const reencryptAll = async (run: RotationRun & { signal: AbortSignal }): Promise<void> => {
  let after: string | null = null
  while (!run.signal.aborted) {
    const records: EncryptedRecord[] | null = await listBatch(run, after)
    if (records === null) return
    for (const { id, texts } of records) {
      for (const text of texts) await reencrypt(run, id, text)
    }
    if (records.length < BATCH_RECORDS) return
    after = records.at(-1)?.id ?? null
  }
}

const listBatch = async (
  { source, logger, count }: RotationRun,
  after: string | null,
): Promise<EncryptedRecord[] | null> => {
  try {
    return await source.list(after, BATCH_RECORDS)
  } catch (error) {
    if (isConnectionLost(error)) throw error
    logger.error({ err: error, sealed: source.name }, 'failed to list records')
    count.failed++
    return null
  }
}

const reencrypt = async (
  { source, sealer, logger, count }: RotationRun,
  id: string,
  { sealed, context }: EncryptedText,
): Promise<void> => {
  if (sealed.startsWith(sealer.prefix)) return
  try {
    const to = sealer.seal(sealer.open(sealed, context), context)
    await source.replace({ id, from: sealed, to })
    count.reencrypted++
  } catch (error) {
    if (isConnectionLost(error)) throw error
    count.failed++
    const details = { err: error, sealed: source.name, id }
    if (error instanceof SealError) {
      logger.error({ ...details, alarm: 'sealed_record' }, 'failed to decrypt a record')
    } else logger.error(details, 'failed to re-encrypt a record')
  }
}
