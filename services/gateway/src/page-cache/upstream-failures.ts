/**
 * Failures of upstream requests by cache key. For a second after one, requests are answered without
 * another attempt, so that retries do not overload a recovering service.
 */
import type { PageResponse } from './upstream-outcome.ts'

/** Minimum delay between attempts after a failure. */
const RETRY_AFTER_MS = 1_000
/** Maximum keys; beyond it all failures are dropped, and the next requests are attempts. */
const MAX_FAILURES = 10_000

/** Response to serve when no entry is cached. */
type Respond = () => PageResponse

export class UpstreamFailures {
  readonly #now: () => number
  readonly #failures = new Map<string, { at: number; respond: Respond }>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Response of a failure that is too recent for another attempt. */
  findRecent(key: string): Respond | undefined {
    const failure = this.#failures.get(key)
    const isRecent = failure !== undefined && this.#now() - failure.at < RETRY_AFTER_MS
    return isRecent ? failure.respond : undefined
  }

  add(key: string, respond: Respond): void {
    if (this.#failures.size >= MAX_FAILURES) this.#failures.clear()
    this.#failures.set(key, { at: this.#now(), respond })
  }

  delete(key: string): void {
    this.#failures.delete(key)
  }
}
