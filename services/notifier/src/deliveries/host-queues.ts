/**
 * Which waiting message goes next: hosts in turn, so many at one host at once, so many in all. One that has
 * no answer after a moment only holds a socket: it is counted apart, so that receivers that hang delay
 * nobody, not even others at the same host. A destination never has two on their way; that is the claim's.
 *
 * Why lanes of hosts and not of destinations only: a host with a thousand destinations would get a thousand
 * connections at once. Why not of hosts only: fifty of its destinations that hang would keep the others
 * waiting. So a host that answers is asked by `perHost`, and each that hangs makes room for another
 * until `hangingPerHost` do; then the host is stuck, and nothing more is sent there for a while.
 */

export interface HostQueueLimits {
  /** On their way in all. */
  maxInFlight: number
  maxPerHost: number
  /** Of those that hang, in all; beyond it one counts as any other. */
  maxSlow: number
  /** 0: none is set apart, and no host is ever stuck. */
  maxSlowPerHost: number
  /** From here on a message is taken to hang. */
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

/** Counts by host; a host without any takes no place. */
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
  /** In order of turns: the host that was served goes to the end. */
  readonly #queues = new Map<string, Waiting<Item>[]>()
  readonly #activeByHost = new HostCounts()
  readonly #slowByHost = new HostCounts()
  /** In order of their beginning. */
  readonly #active = new Set<InFlight<Item>>()
  readonly #slow = new Set<InFlight<Item>>()
  #waiting = 0

  constructor(limits: HostQueueLimits) {
    this.#limits = limits
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Without those that hang. */
  get active(): number {
    return this.#active.size
  }

  get inFlight(): number {
    return this.#active.size + this.#slow.size
  }

  /** Nothing gets through to the host, and it takes no more that hang. */
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
   * The next to go, or null while there is none or no room. Milliseconds of a monotonic clock. What has
   * waited longer than `maxWaitMs` never goes: its lease might end on the way.
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

  /** Takes out what has waited for its host too long; all of it, where no time is given. */
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
