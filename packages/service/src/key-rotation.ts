/**
 * What the previous key has sealed is sealed anew in the background, so that the key can go: once nothing
 * of it is left, the log says so. A text that does not open stays as it is, and is an alarm.
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
  /** All of its sealed texts: those of the current key are passed over. */
  texts: readonly EncryptedText[]
}

/** One kind of records that hold sealed texts. */
export interface EncryptedSource {
  /** Of what is sealed, `two-factor`. */
  name: string
  /** Those with a text that does not begin with the sealer's prefix, by id, behind `after`. */
  list(after: string | null, limit: number): Promise<EncryptedRecord[]>
  /** Leaves a record alone that has changed meanwhile: whoever wrote it used the current key. */
  replace(change: { id: string; from: string; to: string }): Promise<void>
}

export interface KeyRotationOptions {
  sealer: Sealer
  logger: Pick<Logger, 'info' | 'error'>
  sources: readonly EncryptedSource[]
}

export const keyRotationJob = ({ sealer, logger, sources }: KeyRotationOptions): Job => {
  let isTold = false
  return {
    name: 'reseal',
    intervalMs: INTERVAL_MS,
    async run(signal) {
      const count: Count = { resealed: 0, unread: 0 }
      for (const source of sources) await resealAll({ source, sealer, logger, count, signal })
      if (signal.aborted) return 0
      const { resealed, unread } = count
      if (unread === 0 && (resealed > 0 || !isTold)) {
        logger.info({ resealed }, 'no records use the previous key')
      }
      isTold = unread === 0
      return 0
    },
  }
}

interface Count {
  resealed: number
  unread: number
}

interface Resealing extends Omit<KeyRotationOptions, 'sources'> {
  source: EncryptedSource
  count: Count
}

const resealAll = async (resealing: Resealing & { signal: AbortSignal }): Promise<void> => {
  let after: string | null = null
  while (!resealing.signal.aborted) {
    const records: EncryptedRecord[] = await resealing.source.list(after, BATCH_RECORDS)
    for (const { id, texts } of records) {
      for (const text of texts) await reseal(resealing, id, text)
    }
    if (records.length < BATCH_RECORDS) return
    after = records.at(-1)?.id ?? null
  }
}

const reseal = async (
  { source, sealer, logger, count }: Resealing,
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
