/**
 * Records send results: successes in batches, others one by one. A message that was accepted but
 * not yet recorded is sent again after a crash, with the same id.
 */
import { asWorkerRaw } from '@status-page/postgres'
import { isConfirmation } from '../../messages/confirmation.ts'
import type { ReadyDelivery } from '../prepare/prepare.ts'
import { retryWhileUnavailable } from '../prepare/retry.ts'
import { type DeliveredRow, recordDelivered } from './delivered.ts'
import { type CompletedAttempt, type RecordDeps, recordAttempt } from './record.ts'

const BATCH = 256
/**
 * Maximum time that a result waits for others while further messages are being sent. A mail server
 * accepts few messages at once, and a statement costs as much as twenty of its rows; a longer wait
 * would repeat more messages after a crash.
 */
const BATCH_WAIT_MS = 100

export interface Recorder {
  /** Resolves when the result is recorded; rejects when recording fails. */
  record(ready: ReadyDelivery, attempted: CompletedAttempt): Promise<void>
  /** Number of results waiting to be recorded. */
  readonly unrecorded: number
}

interface Entry {
  ready: ReadyDelivery
  attempted: CompletedAttempt
  resolve(): void
  reject(error: unknown): void
}

export interface RecorderOptions {
  owner: string
  signal: AbortSignal
  /** True while further results may follow soon. */
  isSending(): boolean
}

export const createRecorder = (
  deps: RecordDeps,
  { owner, signal, isSending }: RecorderOptions,
): Recorder => {
  const recordOne = ({ claimed }: ReadyDelivery, attempted: CompletedAttempt) =>
    retryWhileUnavailable(signal, () => recordAttempt(deps, owner, claimed, attempted))
  const recordInBatch = createBatcher(isSending, (entries) =>
    storeBatch(deps, signal, entries, recordOne),
  )
  let unrecorded = 0

  return {
    async record(ready, attempted) {
      unrecorded++
      try {
        await (isPlain(ready, attempted) ? recordInBatch : recordOne)(ready, attempted)
      } finally {
        unrecorded--
      }
    },
    get unrecorded() {
      return unrecorded
    },
  }
}

type RecordOne = (ready: ReadyDelivery, attempted: CompletedAttempt) => Promise<void>

/** Collects results for a moment and stores them in batches, one batch at a time. */
const createBatcher = (
  isSending: () => boolean,
  store: (entries: readonly Entry[]) => Promise<void>,
): RecordOne => {
  let waiting: Entry[] = []
  let timer: NodeJS.Timeout | undefined
  let isStoring = false

  const schedule = (): void => {
    if (isStoring || waiting.length === 0) return
    if (waiting.length >= BATCH || !isSending()) void flush()
    else timer ??= setTimeout(flush, BATCH_WAIT_MS)
  }

  const flush = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    isStoring = true
    const batch = waiting.slice(0, BATCH)
    waiting = waiting.slice(BATCH)
    await store(batch)
    isStoring = false
    schedule()
  }

  return (ready, attempted) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.push({ ready, attempted, resolve, reject })
    schedule()
    return promise
  }
}

/** Records a batch; on failure one by one, so that a result that is rejected blocks no other. */
const storeBatch = async (
  { database, meter, logger }: RecordDeps,
  signal: AbortSignal,
  entries: readonly Entry[],
  recordOne: RecordOne,
): Promise<void> => {
  try {
    const ages = await retryWhileUnavailable(signal, () =>
      asWorkerRaw(database, (systemScope) => recordDelivered(systemScope, entries.map(rowOf))),
    )
    for (const { ready, resolve } of entries) {
      const age = ages.get(ready.claimed.id)
      if (age !== undefined) meter.delivered(ready.message.type, age)
      resolve()
    }
  } catch (error) {
    logger.warn({ err: error, deliveries: entries.length }, 'failed to record a batch of results')
    await Promise.all(
      entries.map(({ ready, attempted, resolve, reject }) =>
        recordOne(ready, attempted).then(resolve, reject),
      ),
    )
  }
}

/** True for a success that changes only its own delivery and destination. */
const isPlain = (
  { claimed: { transport } }: ReadyDelivery,
  { sendResult }: CompletedAttempt,
): boolean =>
  sendResult.class === 'delivered' &&
  !sendResult.providerId &&
  (transport === null || transport.failStreak === 0)

const rowOf = ({ ready, attempted }: Entry): DeliveredRow => {
  const { claimed, leased } = ready
  const { sendResult, startedAt, durationMs } = attempted
  return {
    id: claimed.id,
    failedDestinationId: leased.destination.hasFailed ? claimed.destinationId : null,
    attempt: claimed.attempts,
    startedAt,
    durationMs,
    statusCode: 'statusCode' in sendResult ? sendResult.statusCode : null,
    subscriberId: isConfirmation(leased.event) ? null : leased.destination.subscriberId,
    channelId: leased.destination.channelId,
    transport: claimed.transport?.name ?? null,
  }
}
