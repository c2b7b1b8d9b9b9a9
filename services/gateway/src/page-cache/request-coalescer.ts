/**
 * Coalesces requests after an invalidation: the first revalidates the entry, the others wait up to
 * 250 ms for its result.
 */

/** Maximum time to wait for the request in flight; afterwards each request continues on its own. */
const MAX_WAIT_MS = 250
/** Maximum number of waiting requests over all keys. */
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

  /** Marks the key as in flight; returns the function that releases the waiting requests. */
  begin(key: string): () => void {
    const finish = () => this.#end(key, request)
    const request: InFlightRequest = { callbacks: [], timer: setTimeout(finish, MAX_WAIT_MS) }
    this.#inFlight.set(key, request)
    return finish
  }

  /**
   * Queues `callback` until the request in flight ends; false when the queue is full. Each callback
   * runs once.
   */
  wait(key: string, callback: () => void): boolean {
    const request = this.#inFlight.get(key)
    if (request === undefined || this.#waiting >= MAX_WAITING) return false
    this.#waiting++
    request.callbacks.push(callback)
    return true
  }

  /** Releases the waiting requests: the response is cached. */
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
