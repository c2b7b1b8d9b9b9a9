/**
 * Delivery worker of one transport: claims batches, sends through per-host queues, records results;
 * returns when nothing is in flight.
 */
import { HostQueues, type HostSlot, Wakeup } from '@status-page/concurrency'
import { asWorkerRaw, faultPoint, type Job, newId, write } from '@status-page/postgres'
import { continueTrace, type SpanOptions, type SpanResult } from '@status-page/tracing'
import type { DeliveryWorker } from '../../channels/channel.ts'
import type { SendResult } from '../../channels/send-result.ts'
import { endProbe } from '../../channels/shared-transports.ts'
import { createClaim } from '../claim/claiming.ts'
import type { ClaimedDelivery } from '../claim/leases.ts'
import { refundCharges } from '../limits/charge.ts'
import { releaseDeliveries } from '../limits/deferrals.ts'
import { hasStableBody } from '../prepare/message.ts'
import {
  type PrepareDeps,
  prepareDeliveries,
  type ReadyDelivery,
  SATURATED_RETRY_MS,
} from '../prepare/prepare.ts'
import { isUnavailable, retryWhileUnavailable } from '../prepare/retry.ts'
import type { RecordDeps } from '../record/record.ts'
import { createRecorder, type Recorder } from '../record/recorder.ts'

const POLL_MS = 1_000
/**
 * Interval while idle, in case notifications are lost: `wakeDueWorkers` wakes the worker each second
 * while deliveries are due. A claim costs five statements per worker.
 */
const IDLE_MS = 20_000
const REFILL_MS = 20
/**
 * The next claim follows when a quarter of the batch is done, so that the host queues stay filled.
 */
const REFILL_SHARE = 4
/** Maximum number of unrecorded results; above it sending pauses until Postgres catches up. */
const MAX_UNRECORDED = 1_000

export type DeliveryWorkerDeps = PrepareDeps & RecordDeps

export const deliveryJob = (deps: DeliveryWorkerDeps, worker: DeliveryWorker): Job => {
  const owner = newId()
  const claim = createClaim(deps, worker.name, owner)
  let wake = () => {}
  return {
    name: jobNameOf(worker),
    intervalMs: IDLE_MS,
    wake: () => wake(),
    run: (signal) => {
      const deliveryRun = new DeliveryRun({ deps, worker, owner, claim, signal })
      wake = () => deliveryRun.wake()
      return deliveryRun.run()
    },
  }
}

export const jobNameOf = ({ name }: DeliveryWorker): string => `deliveries-${name}`

interface WorkerRun {
  deps: DeliveryWorkerDeps
  worker: DeliveryWorker
  owner: string
  claim(freeSlots: number): Promise<ClaimedDelivery[]>
  signal: AbortSignal
}

/** Claims and sends until nothing is due and nothing is in flight. */
class DeliveryRun {
  readonly #options: WorkerRun
  readonly #queues: HostQueues<ReadyDelivery>
  readonly #recorder: Recorder
  readonly #inFlight = new Set<Promise<void>>()
  readonly #wakeup = new Wakeup()
  #isOver = false

  constructor(options: WorkerRun) {
    this.#options = options
    this.#queues = new HostQueues<ReadyDelivery>(options.worker.queues)
    this.#recorder = createRecorder(options.deps, {
      owner: options.owner,
      signal: options.signal,
      isSending: () => this.#queues.active > 0,
    })
  }

  wake(): void {
    this.#wakeup.wake()
  }

  /** Returns the number of claimed deliveries. */
  async run(): Promise<number> {
    const { maxInFlight, slowAfterMs } = this.#options.worker.queues
    const queues = this.#queues
    let sent = 0
    try {
      for (;;) {
        const claimed = await this.#fill()
        sent += claimed
        this.#sendNext()
        await this.#releaseOverdue()
        if (claimed === 0 && this.#inFlight.size === 0 && queues.waiting === 0) return sent
        if (claimed === 0 || queues.active >= maxInFlight) {
          await this.#wakeup.wait(queues.waiting > 0 ? slowAfterMs : POLL_MS)
        }
      }
    } finally {
      this.#isOver = true
      await Promise.allSettled([this.#releaseOverdue(), ...this.#inFlight])
    }
  }

  async #fill(): Promise<number> {
    const { worker, claim, signal } = this.#options
    const freeSlots = worker.batch - this.#queues.waiting - this.#queues.active
    if (signal.aborted || freeSlots < worker.batch / REFILL_SHARE) return 0
    const claimed = await claim(freeSlots)
    for (const ready of await prepareOrBisect(this.#options, claimed, this.#queues)) {
      this.#queues.enqueue(ready, performance.now())
    }
    return claimed.length
  }

  #sendNext(): void {
    const { worker, signal } = this.#options
    while (!this.#isOver && !signal.aborted && this.#recorder.unrecorded < MAX_UNRECORDED) {
      const slot = this.#queues.takeNext(performance.now(), worker.maxWaitMs)
      if (slot === null) return
      const send = sendOne(this.#options, this.#recorder, slot, () => {
        this.#queues.release(slot)
        this.#sendNext()
      }).finally(() => {
        this.#inFlight.delete(send)
        // One claim refills all slots released within a short time.
        this.#wakeup.wakeWithin(this.#inFlight.size === 0 ? 0 : REFILL_MS)
      })
      this.#inFlight.add(send)
    }
  }

  /** Releases deliveries that waited too long, and all of them when the run ends. */
  async #releaseOverdue(): Promise<void> {
    const { worker, signal } = this.#options
    const maxWaitMs = this.#isOver || signal.aborted ? 0 : worker.maxWaitMs
    const overdue = this.#queues.takeOverdue(performance.now(), maxWaitMs)
    if (overdue.length > 0) await releaseUnsent(this.#options, overdue)
  }
}

/** Prepares a batch; bisects it on failure to isolate the failing delivery. */
const prepareOrBisect = async (
  run: WorkerRun,
  claimed: readonly ClaimedDelivery[],
  queues: HostQueues<ReadyDelivery>,
): Promise<ReadyDelivery[]> => {
  const { deps, owner, signal } = run
  if (claimed.length === 0) return []
  const isSaturated = (host: string) => queues.isSaturated(host)
  let isRetry = false
  try {
    const prepared = await retryWhileUnavailable(signal, () => {
      const batch = isRetry ? withOutdatedRows(claimed) : claimed
      isRetry = true
      return prepareDeliveries(deps, { owner, claimed: batch, isSaturated })
    })
    const ids = new Set(prepared.map((one) => one.claimed.id))
    for (const one of claimed) if (!ids.has(one.id)) await finishProbe(deps, one)
    return prepared
  } catch (error) {
    if (isUnavailable(error)) throw error
    if (claimed.length === 1) {
      const [{ id: deliveryId }] = claimed as [ClaimedDelivery]
      deps.logger.error(
        { err: error, deliveryId },
        'delivery failed, will be retried when its lease expires',
      )
      return []
    }
    const half = Math.ceil(claimed.length / 2)
    const outdated = withOutdatedRows(claimed)
    return [
      ...(await prepareOrBisect(run, outdated.slice(0, half), queues)),
      ...(await prepareOrBisect(run, outdated.slice(half), queues)),
    ]
  }
}

/** The deliveries after a failed preparation, which may have changed their rows. */
const withOutdatedRows = (claimed: readonly ClaimedDelivery[]): ClaimedDelivery[] =>
  claimed.map((one) => ({ ...one, readAtMs: Number.NEGATIVE_INFINITY }))

/** Sends and records one delivery; one that fails here keeps its lease and is reaped. */
const sendOne = async (
  { deps }: WorkerRun,
  recorder: Recorder,
  { item }: HostSlot<ReadyDelivery>,
  releaseSlot: () => void,
): Promise<void> => {
  const { claimed, message, leased } = item
  try {
    const startedAt = new Date()
    const send = () => deps.senders[message.type].send(message)
    const sendResult = await continueTrace(spanOf(item), send, toSpanResult).finally(releaseSlot)
    const durationMs = Date.now() - startedAt.getTime()
    if (sendResult.class === 'delivered') faultPoint(`send.${message.type}.after_accept`)
    const body = hasStableBody(leased) ? message.body : null
    await recorder.record(item, { sendResult, body, startedAt, durationMs })
    await finishProbe(deps, claimed)
  } catch (error) {
    deps.logger.error(
      { err: error, deliveryId: claimed.id },
      'delivery failed, will be retried when its lease expires',
    )
  }
}

/** Span of one attempt; it names no host, which is the address of a tenant. */
const spanOf = ({ leased, message }: ReadyDelivery): SpanOptions => ({
  name: `deliver ${message.type}`,
  kind: 'client',
  parent: leased.event.traceparent,
  attributes: {
    'delivery.id': leased.delivery.id,
    'delivery.attempt': leased.delivery.attempts + 1,
  },
})

const toSpanResult = (sendResult: SendResult): SpanResult =>
  sendResult.class === 'delivered' ? {} : { errorType: sendResult.class }

/** Ends the probe of a failed transport, whether the delivery was sent or not. */
const finishProbe = async (deps: DeliveryWorkerDeps, claimed: ClaimedDelivery): Promise<void> => {
  const { transport } = claimed
  if (transport === null || transport.failStreak === 0) return
  await write(deps.database, claimed, (scope) => endProbe(scope, transport))
}

/**
 * Releases unsent deliveries to their rows without counting an attempt or a deferral, and refunds
 * their charges.
 */
const releaseUnsent = async (
  { deps, owner, signal }: WorkerRun,
  items: readonly ReadyDelivery[],
): Promise<void> => {
  const ids = items.map(({ claimed }) => claimed.id)
  const waitMs = signal.aborted ? 0 : SATURATED_RETRY_MS
  await retryWhileUnavailable(signal, () =>
    asWorkerRaw(deps.database, async (systemScope) => {
      const released = await releaseDeliveries(systemScope, owner, { ids, waitMs })
      const unsent = items.filter(({ claimed }) => released.has(claimed.id))
      await refundCharges(
        systemScope,
        unsent.flatMap(({ charge }) => charge ?? []),
      )
    }),
  )
}
