/**
 * Selects the next message to send: hosts in turn, up to a limit per host and in total. A request
 * without a response after `slowAfterMs` only occupies a socket and is counted separately, so that
 * slow receivers delay no others, not even at the same host. The claim ensures that a destination
 * has at most one delivery in flight.
 *
 * Queues per destination alone would open a thousand connections to a host with a thousand
 * destinations. Queues per host alone would let fifty slow destinations block the rest of the host.
 * A responsive host gets `maxPerHost` requests, and each slow request frees a slot until there are
 * `maxSlowPerHost`; then the host is saturated and nothing is sent there for a while.
 */

export interface HostQueueLimits {
  /** Maximum number of requests in flight, without the slow ones. */
  maxInFlight: number
  maxPerHost: number
  /** Maximum number of slow requests in total; beyond it a slow request counts as any other. */
  maxSlow: number
  /**
   * Maximum number of slow requests per host; 0 disables the separate count, and no host is ever
   * saturated.
   */
  maxSlowPerHost: number
  /** Age in ms from which a request counts as slow. */
  slowAfterMs: number
}

export interface SendSlot<Item> {
  readonly item: Item
  readonly host: string
}

interface InFlight<Item> extends SendSlot<Item> {
  startedMs: number
}

interface Waiting<Item> {
  item: Item
  sinceMs: number
}

/** Counts by host; hosts with a count of zero are not stored. */
class HostCounts {
  readonly #counts = new Map<string, number>()

  count(host: string): number {
    return this.#counts.get(host) ?? 0
  }

  add(host: string, change: 1 | -1): void {
    const count = this.count(host) + change
    if (count > 0) this.#counts.set(host, count)
    else this.#counts.delete(host)
  }
}

export class HostQueues<Item> {
  readonly #limits: HostQueueLimits
  /** Queues in round-robin order: a host that was served moves to the end. */
  readonly #queues = new Map<string, Waiting<Item>[]>()
  readonly #activeByHost = new HostCounts()
  readonly #slowByHost = new HostCounts()
  /** Requests in order of their start. */
  readonly #active = new Set<InFlight<Item>>()
  readonly #slow = new Set<InFlight<Item>>()
  #waiting = 0

  constructor(limits: HostQueueLimits) {
    this.#limits = limits
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Requests in flight, without the slow ones. */
  get active(): number {
    return this.#active.size
  }

  get inFlight(): number {
    return this.#active.size + this.#slow.size
  }

  /** True when a host has no free slot for active or slow requests. */
  isSaturated(host: string): boolean {
    const { maxSlowPerHost, maxPerHost } = this.#limits
    if (maxSlowPerHost === 0) return false
    return (
      this.#slowByHost.count(host) >= maxSlowPerHost && this.#activeByHost.count(host) >= maxPerHost
    )
  }

  enqueue(item: Item, host: string, nowMs: number): void {
    const queue = this.#queues.get(host)
    const waiting = { item, sinceMs: nowMs }
    if (queue === undefined) this.#queues.set(host, [waiting])
    else queue.push(waiting)
    this.#waiting++
  }

  /**
   * Returns the next message, or null when none may be sent. Times are ms of a monotonic clock. A
   * message that waited longer than `maxWaitMs` is not returned: its lease might expire in flight.
   */
  takeNext(nowMs: number, maxWaitMs = Number.POSITIVE_INFINITY): SendSlot<Item> | null {
    this.#moveSlowApart(nowMs)
    if (this.#active.size >= this.#limits.maxInFlight) return null
    for (const [host, queue] of this.#queues) {
      if (this.#activeByHost.count(host) >= this.#limits.maxPerHost) continue
      const first = queue.findIndex(({ sinceMs }) => nowMs - sinceMs < maxWaitMs)
      const [next] = first < 0 ? [] : queue.splice(first, 1)
      if (next === undefined) continue
      const { item } = next
      this.#queues.delete(host)
      if (queue.length > 0) this.#queues.set(host, queue)
      this.#waiting--
      this.#activeByHost.add(host, 1)
      const slot = { item, host, startedMs: nowMs }
      this.#active.add(slot)
      return slot
    }
    return null
  }

  release(slot: SendSlot<Item>): void {
    const { host } = slot
    if (this.#active.delete(slot as InFlight<Item>)) this.#activeByHost.add(host, -1)
    else if (this.#slow.delete(slot as InFlight<Item>)) this.#slowByHost.add(host, -1)
  }

  /** Removes and returns the messages that waited at least `afterMs`. */
  takeOverdue(nowMs: number, afterMs: number): Item[] {
    const overdue: Item[] = []
    for (const [host, queue] of this.#queues) {
      const late = queue.filter(({ sinceMs }) => nowMs - sinceMs >= afterMs)
      if (late.length === 0) continue
      overdue.push(...late.map(({ item }) => item))
      const rest = queue.filter((waiting) => !late.includes(waiting))
      if (rest.length === 0) this.#queues.delete(host)
      else this.#queues.set(host, rest)
    }
    this.#waiting -= overdue.length
    return overdue
  }

  #moveSlowApart(nowMs: number): void {
    const { slowAfterMs, maxSlow, maxSlowPerHost } = this.#limits
    for (const slot of this.#active) {
      if (nowMs - slot.startedMs < slowAfterMs || this.#slow.size >= maxSlow) return
      if (this.#slowByHost.count(slot.host) >= maxSlowPerHost) continue
      this.#active.delete(slot)
      this.#activeByHost.add(slot.host, -1)
      this.#slow.add(slot)
      this.#slowByHost.add(slot.host, 1)
    }
  }
}
