/**
 * Results that the service has not confirmed yet, oldest first. The number is limited: without a
 * connection, the oldest results are dropped.
 */
import { type AgentResult, MAX_LAG_SECONDS, MAX_RESULTS_PER_BATCH } from '@status-page/contracts'
import type { PolledTarget } from './polled-target.ts'

/** About ten minutes of 800 targets that are checked every ten seconds, and 50 MB. */
const MAX_BUFFERED = 50_000

interface Unsent {
  result: AgentResult
  addedAtMs: number
  /** Target of a failure that counts once the service responds; null for a result that counts. */
  suspect: PolledTarget | null
  isSpooled: boolean
}

/** Failure that counts once the service responds, with its target. */
export interface Suspect {
  result: AgentResult
  target: PolledTarget
}

export class UnsentResults {
  #entries: Unsent[] = []
  readonly #maxBuffered: number
  #dropped = 0

  constructor(maxBuffered: number = MAX_BUFFERED) {
    this.#maxBuffered = maxBuffered
  }

  get size(): number {
    return this.#entries.length
  }

  /** Number of dropped results since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }

  add(result: AgentResult, addedAtMs: number, suspect: PolledTarget | null = null): void {
    this.#insert({ result, addedAtMs, suspect, isSpooled: false })
  }

  /** Adds a result that the spool contains already. */
  restore(result: AgentResult): void {
    this.#insert({ result, addedAtMs: 0, suspect: null, isSpooled: true })
  }

  /** Oldest results, which stay in the buffer until `confirm`. */
  batch(): AgentResult[] {
    return this.#entries.slice(0, MAX_RESULTS_PER_BATCH).map(({ result }) => result)
  }

  /** Removes results that the service has stored or refused for good. */
  confirm(results: readonly AgentResult[]): void {
    const confirmed = new Set(results)
    let count = 0
    // Some may have been dropped during the request.
    while (count < this.#entries.length && confirmed.has((this.#entries[count] as Unsent).result)) {
      count++
    }
    this.#entries.splice(0, count)
  }

  suspects(): Suspect[] {
    return this.#entries.flatMap(({ result, suspect }) =>
      suspect === null ? [] : [{ result, target: suspect }],
    )
  }

  /** Ends the doubt about failures: the first ones count, the others are removed. */
  settle(counted: ReadonlySet<AgentResult>, removed: ReadonlySet<AgentResult>): void {
    if (removed.size > 0) this.#entries = this.#entries.filter(({ result }) => !removed.has(result))
    for (const entry of this.#entries) if (counted.has(entry.result)) entry.suspect = null
  }

  /** Results that count, were added before a time, and are not in the spool. */
  unspooled(beforeMs: number): AgentResult[] {
    return this.#entries
      .filter(
        ({ isSpooled, suspect, addedAtMs }) =>
          !isSpooled && suspect === null && addedAtMs <= beforeMs,
      )
      .map(({ result }) => result)
  }

  markSpooled(results: readonly AgentResult[]): void {
    const spooled = new Set(results)
    for (const entry of this.#entries) if (spooled.has(entry.result)) entry.isSpooled = true
  }

  /** Results that the spool contains. */
  spooled(): AgentResult[] {
    return this.#entries.filter(({ isSpooled }) => isSpooled).map(({ result }) => result)
  }

  /** Seconds since the slot of the oldest result, at most those that the service accepts. */
  lagSeconds(nowMs: number): number {
    const [oldest] = this.#entries
    if (oldest === undefined) return 0
    const seconds = Math.floor((nowMs - Date.parse(oldest.result.slotAt)) / 1000)
    return Math.min(Math.max(0, seconds), MAX_LAG_SECONDS)
  }

  #insert(entry: Unsent): void {
    this.#entries.push(entry)
    if (this.#entries.length <= this.#maxBuffered) return
    this.#entries.shift()
    this.#dropped++
  }
}
