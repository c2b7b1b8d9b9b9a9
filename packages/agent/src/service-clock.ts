/**
 * Clock of the service, by the times in its replies: slots are the same as those of the service,
 * whatever the clock of this machine shows. It follows the monotonic clock between two replies.
 */
export class ServiceClock {
  #offsetMs: number
  readonly #monotonicMs: () => number

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs
    this.#offsetMs = Date.now() - monotonicMs()
  }

  /** Epoch milliseconds. */
  now = (): number => Math.round(this.#monotonicMs() + this.#offsetMs)

  /** Monotonic milliseconds, to measure the time of a request. */
  mark = (): number => this.#monotonicMs()

  /** Sets the time that a reply stated, which was that of the middle of its request. */
  set(serviceMs: number, sentAtMs: number): void {
    this.#offsetMs = serviceMs - (sentAtMs + this.#monotonicMs()) / 2
  }
}
