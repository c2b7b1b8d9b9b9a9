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

export interface LaneLimits {
  /** On their way in all. */
  places: number
  perHost: number
  /** Of those that hang, in all; beyond it one counts as any other. */
  hanging: number
  /** 0: none is set apart, and no host is ever stuck. */
  hangingPerHost: number
  /** From here on a message is taken to hang. */
  hangsAfterMs: number
}

export interface Ticket<Item> {
  readonly item: Item
  readonly host: string
}

interface Going<Item> extends Ticket<Item> {
  startedMs: number
}

interface Waiting<Item> {
  item: Item
  sinceMs: number
}

/** Counts by host; a host without any takes no place. */
class HostCounts {
  readonly #counts = new Map<string, number>()

  of(host: string): number {
    return this.#counts.get(host) ?? 0
  }

  add(host: string, change: 1 | -1): void {
    const count = this.of(host) + change
    if (count > 0) this.#counts.set(host, count)
    else this.#counts.delete(host)
  }
}

export class Lanes<Item> {
  readonly #limits: LaneLimits
  /** In order of turns: the host that was served goes to the end. */
  readonly #queues = new Map<string, Waiting<Item>[]>()
  readonly #quickAt = new HostCounts()
  readonly #hangingAt = new HostCounts()
  /** In order of their beginning. */
  readonly #quick = new Set<Going<Item>>()
  readonly #hanging = new Set<Going<Item>>()
  #waiting = 0

  constructor(limits: LaneLimits) {
    this.#limits = limits
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Without those that hang. */
  get quick(): number {
    return this.#quick.size
  }

  get onTheWay(): number {
    return this.#quick.size + this.#hanging.size
  }

  /** Nothing gets through to the host, and it takes no more that hang. */
  isStuck(host: string): boolean {
    const { hangingPerHost, perHost } = this.#limits
    if (hangingPerHost === 0) return false
    return this.#hangingAt.of(host) >= hangingPerHost && this.#quickAt.of(host) >= perHost
  }

  offer(item: Item, host: string, nowMs: number): void {
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
  take(nowMs: number, maxWaitMs = Number.POSITIVE_INFINITY): Ticket<Item> | null {
    this.#setHangingApart(nowMs)
    if (this.#quick.size >= this.#limits.places) return null
    for (const [host, queue] of this.#queues) {
      if (this.#quickAt.of(host) >= this.#limits.perHost) continue
      const first = queue.findIndex(({ sinceMs }) => nowMs - sinceMs < maxWaitMs)
      const [next] = first < 0 ? [] : queue.splice(first, 1)
      if (next === undefined) continue
      const { item } = next
      this.#queues.delete(host)
      if (queue.length > 0) this.#queues.set(host, queue)
      this.#waiting--
      this.#quickAt.add(host, 1)
      const ticket = { item, host, startedMs: nowMs }
      this.#quick.add(ticket)
      return ticket
    }
    return null
  }

  giveBack(ticket: Ticket<Item>): void {
    const { host } = ticket
    if (this.#quick.delete(ticket as Going<Item>)) this.#quickAt.add(host, -1)
    else if (this.#hanging.delete(ticket as Going<Item>)) this.#hangingAt.add(host, -1)
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

  #setHangingApart(nowMs: number): void {
    const { hangsAfterMs, hanging, hangingPerHost } = this.#limits
    for (const ticket of this.#quick) {
      if (nowMs - ticket.startedMs < hangsAfterMs || this.#hanging.size >= hanging) return
      if (this.#hangingAt.of(ticket.host) >= hangingPerHost) continue
      this.#quick.delete(ticket)
      this.#quickAt.add(ticket.host, -1)
      this.#hanging.add(ticket)
      this.#hangingAt.add(ticket.host, 1)
    }
  }
}
