/**
 * When a page changes, all who look at it ask at once: one goes ahead the long way, and the others wait for
 * what it brings instead of going the long way too, which would hold up everybody else for its time.
 */

/** Then each goes on by itself: who goes ahead may be late. */
const MAX_WAIT_MS = 250
/** Of all crowds together; beyond it nobody waits here. */
const MAX_WAITING = 4_000

interface InFlightRequest {
  callbacks: (() => void)[]
  timer: NodeJS.Timeout
}

export class RequestCoalescer {
  readonly #inFlight = new Map<string, InFlightRequest>()
  #waiting = 0

  isInFlight(key: string): boolean {
    return this.#inFlight.has(key)
  }

  /** The first goes ahead; gives what tells that it is back. */
  begin(key: string): () => void {
    const finish = () => this.#end(key, request)
    const request: InFlightRequest = { callbacks: [], timer: setTimeout(finish, MAX_WAIT_MS) }
    this.#inFlight.set(key, request)
    return finish
  }

  /** Whether it waits; its turn comes once, whatever becomes of who went ahead. */
  wait(key: string, callback: () => void): boolean {
    const request = this.#inFlight.get(key)
    if (request === undefined || this.#waiting >= MAX_WAITING) return false
    this.#waiting++
    request.callbacks.push(callback)
    return true
  }

  /** There is an answer. */
  release(key: string) {
    const request = this.#inFlight.get(key)
    if (request !== undefined) this.#end(key, request)
  }

  #end(key: string, request: InFlightRequest) {
    clearTimeout(request.timer)
    if (this.#inFlight.get(key) === request) this.#inFlight.delete(key)
    const callbacks = request.callbacks.splice(0)
    this.#waiting -= callbacks.length
    for (const callback of callbacks) callback()
  }
}
