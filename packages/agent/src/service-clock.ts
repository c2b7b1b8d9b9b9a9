/**
 * Clock of the service, by the times in its replies: slots are the same as those of the service,
 * whatever the clock of this machine shows. It follows the monotonic clock between two replies.
 */
/** Maximum duration of a request whose middle is always known well enough. */
const MAX_ROUND_TRIP_MS = 1_000

export class ServiceClock {
  #offsetMs: number
  /** Shortest duration of a request that set the clock. */
  #roundTripMs = Number.POSITIVE_INFINITY
  readonly #monotonicMs: () => number

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs
    this.#offsetMs = Date.now() - monotonicMs()
  }

  /** Epoch milliseconds. */
  now = (): number => Math.round(this.#monotonicMs() + this.#offsetMs)

  /** Monotonic milliseconds, to measure the time of a request. */
  mark = (): number => this.#monotonicMs()

  /**
   * Sets the time that a reply stated, which was that of the middle of its request. A slower reply
   * corrects nothing: it may have waited on one half of its way.
   */
  set(serviceMs: number, sentAtMs: number): void {
    const receivedAtMs = this.#monotonicMs()
    const roundTripMs = receivedAtMs - sentAtMs
    if (roundTripMs > Math.max(MAX_ROUND_TRIP_MS, this.#roundTripMs)) return
    this.#roundTripMs = Math.min(this.#roundTripMs, roundTripMs)
    this.#offsetMs = serviceMs - (sentAtMs + receivedAtMs) / 2
  }
}
