/**
 * Results that the service has not confirmed yet, oldest first. The number is limited: without a
 * connection, the oldest results are dropped.
 */
import { type AgentResult, MAX_RESULTS_PER_BATCH } from '@status-page/contracts'

/** About ten minutes of 800 targets that are checked every ten seconds, and 50 MB. */
const MAX_BUFFERED = 50_000

export class UnsentResults {
  readonly #results: AgentResult[] = []
  readonly #maxBuffered: number
  #dropped = 0

  constructor(maxBuffered: number = MAX_BUFFERED) {
    this.#maxBuffered = maxBuffered
  }

  get size(): number {
    return this.#results.length
  }

  /** Number of dropped results since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }

  add(result: AgentResult): void {
    this.#results.push(result)
    if (this.#results.length <= this.#maxBuffered) return
    this.#results.shift()
    this.#dropped++
  }

  /** Oldest results, which stay in the buffer until `confirm`. */
  batch(): AgentResult[] {
    return this.#results.slice(0, MAX_RESULTS_PER_BATCH)
  }

  /** Removes results that the service has stored or refused for good. */
  confirm(results: readonly AgentResult[]): void {
    const confirmed = new Set(results)
    let count = 0
    // Some may have been dropped during the request.
    while (count < this.#results.length && confirmed.has(this.#results[count] as AgentResult)) {
      count++
    }
    this.#results.splice(0, count)
  }

  /** Seconds since the slot of the oldest result. */
  lagSeconds(nowMs: number): number {
    const [oldest] = this.#results
    if (oldest === undefined) return 0
    return Math.max(0, Math.floor((nowMs - Date.parse(oldest.slotAt)) / 1000))
  }
}
