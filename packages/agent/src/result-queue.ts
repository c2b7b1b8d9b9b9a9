/**
 * Results until the service has stored them. A check without a response counts when the service
 * responds promptly after it, or when a witness does (`own-network.ts`). After a late response the
 * network may have lost packets in the meantime: then it counts while its target still does not
 * respond. Results that wait are also in the spool.
 */
import { runLoop, Semaphore, Wakeup } from '@status-page/concurrency'
import type { AgentResult } from '@status-page/contracts'
import { isLoss } from '@status-page/probes'
import type { OwnNetwork } from './own-network.ts'
import type { PolledTarget } from './polled-target.ts'
import { Spool } from './spool.ts'
import { UnsentResults } from './unsent-results.ts'

/** Interval of writes to the spool, and the age of results that are written. */
const SPOOL_MS = 5_000
/** Maximum duration of a prompt request; a longer one may have waited for lost packets. */
const PROMPT_MS = 1_000
/** Targets that are checked again at once. */
const CHECKS_AT_ONCE = 128

export interface ResultQueueOptions {
  /** Path of the spool. */
  file: string
  /** Epoch milliseconds. */
  nowMs: number
  network: OwnNetwork
  onSpoolError: (error: unknown) => void
}

export class ResultQueue {
  readonly #options: ResultQueueOptions
  readonly #spool: Spool
  readonly #unsent = new UnsentResults()
  readonly #closing = new AbortController()
  readonly #spooling: Promise<void>
  /** Time since which the service has responded; null while it does not. */
  #reachableSinceMs: number | null = Number.NEGATIVE_INFINITY
  #uncounted = 0

  /** Opens the spool, whose results wait to be sent again. */
  static async open(options: ResultQueueOptions): Promise<ResultQueue> {
    const { spool, results } = await Spool.open(options.file, options.nowMs)
    return new ResultQueue(options, spool, results)
  }

  private constructor(options: ResultQueueOptions, spool: Spool, results: readonly AgentResult[]) {
    this.#options = options
    this.#spool = spool
    for (const result of results) this.#unsent.restore(result)
    this.#spooling = runLoop({
      run: async () => {
        await this.#save(performance.now() - SPOOL_MS)
        return SPOOL_MS
      },
      onError: (error) => {
        options.onSpoolError(error)
        return SPOOL_MS
      },
      wakeup: new Wakeup(),
      signal: this.#closing.signal,
    })
  }

  get size(): number {
    return this.#unsent.size
  }

  /** Adds a result that counts, or may count; returns false for one that does not. */
  async add(result: AgentResult, target: PolledTarget): Promise<boolean> {
    const { network } = this.#options
    const isSuspect = isLoss(result.result)
    const nowMs = performance.now()
    const startedAtMs = nowMs - (result.result.responseMs ?? 0)
    const isReachable = this.#reachableSinceMs !== null && this.#reachableSinceMs <= startedAtMs
    if (isSuspect && !isReachable && !(await network.hasWitness(target))) {
      this.#uncounted++
      return false
    }
    this.#unsent.add(result, nowMs, isSuspect && isReachable ? target : null)
    return true
  }

  /** Oldest results, which stay in the queue until `confirm`. */
  batch(): AgentResult[] {
    return this.#unsent.batch()
  }

  /** Removes results that the service has stored or refused for good. */
  confirm(results: readonly AgentResult[]): void {
    this.#unsent.confirm(results)
  }

  /** Whether a failure waits for the next reply of the service. */
  get hasSuspects(): boolean {
    return this.#unsent.suspects().length > 0
  }

  /** Removes the failures that a loss of packets explains, when the reply came late. */
  async noteReply(durationMs: number): Promise<void> {
    this.#reachableSinceMs ??= performance.now()
    const checks = new Semaphore({ slots: CHECKS_AT_ONCE })
    await this.#settle(
      async (target) =>
        durationMs <= PROMPT_MS ||
        !(await checks.run(() => this.#options.network.responds(target))),
    )
  }

  /** Removes the failures since the last reply that no witness confirms. */
  async noteNoReply(): Promise<void> {
    this.#reachableSinceMs = null
    await this.#settle((target) => this.#options.network.hasWitness(target))
  }

  async #settle(counts: (target: PolledTarget) => Promise<boolean>): Promise<void> {
    const suspects = this.#unsent.suspects()
    const settled = await Promise.all(suspects.map(({ target }) => counts(target)))
    const [counted = [], removed = []] = [true, false].map((isCounted) =>
      suspects.flatMap(({ result }, index) => (settled[index] === isCounted ? [result] : [])),
    )
    this.#unsent.settle(new Set(counted), new Set(removed))
    this.#uncounted += removed.length
  }

  /** Seconds since the slot of the oldest result. */
  lagSeconds(nowMs: number): number {
    return this.#unsent.lagSeconds(nowMs)
  }

  /** Numbers of results since the last call that do not count, or that the buffer had no place for. */
  takeLosses(): { uncounted: number; dropped: number } {
    const uncounted = this.#uncounted
    this.#uncounted = 0
    return { uncounted, dropped: this.#unsent.takeDropped() }
  }

  /** Writes what was not sent to the spool. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#spooling
    await this.#save(performance.now()).catch(this.#options.onSpoolError)
    await this.#spool.close()
  }

  async #save(addedBeforeMs: number): Promise<void> {
    if (this.#unsent.size === 0) return this.#spool.clear()
    const results = this.#unsent.unspooled(addedBeforeMs)
    await this.#spool.append(results, () => [...this.#unsent.spooled(), ...results])
    this.#unsent.markSpooled(results)
  }
}
