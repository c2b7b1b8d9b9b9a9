/**
 * Queues of work for remote hosts. Groups take turns, urgent items of a group go first, and each host
 * has a limit. A request without a response after `slowAfterMs` only occupies a socket and is counted
 * separately, so that slow hosts delay no others, and slow requests not even their own host.
 *
 * A responsive host gets `maxPerHost` requests, and each slow request frees a slot until there are
 * `maxSlowPerHost`; then the host is saturated. Own code: no library counts slow work separately.
 */
import Queue from 'yocto-queue'
import { KeyedCounts } from './keyed-counts.ts'

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

export interface HostQueueOptions<Item> extends HostQueueLimits {
  /** Key of the items that share a turn; the host by default. */
  groupOf?: (item: Item) => string
  isUrgent?: (item: Item) => boolean
}

/** Slot of an item in flight, with its host at the start. */
export interface HostSlot<Item> {
  readonly item: Item
  readonly host: string
}

interface InFlight<Item> extends HostSlot<Item> {
  startedMs: number
}

interface Waiting<Item> {
  item: Item
  sinceMs: number
}

/**
 * Waiting items of a group; `next` holds those that had their turn while their host was full. The
 * queues are linked lists: `shift` of an array moves all elements once it has more than 16,000, so
 * that each check of a monitor with a backlog cost more than the one before.
 */
interface Group<Item> {
  key: string
  next: Queue<Waiting<Item>>
  urgent: Queue<Waiting<Item>>
  others: Queue<Waiting<Item>>
}

export class HostQueues<Item extends { host: string }> {
  readonly #options: HostQueueOptions<Item>
  readonly #groups = new Map<string, Group<Item>>()
  /**
   * Groups in the order of their turns; a served one moves to the end. Not the order of the map, which
   * is searched from its start through all removed entries.
   */
  readonly #turns = new Queue<Group<Item>>()
  /** Items that had their turn while their host was full. */
  readonly #blockedByHost = new Map<string, Queue<Waiting<Item>>>()
  #overdue: Waiting<Item>[] = []
  readonly #activeByHost = new KeyedCounts()
  readonly #slowByHost = new KeyedCounts()
  /** Requests in the order of their start. */
  readonly #active = new Set<InFlight<Item>>()
  readonly #slow = new Set<InFlight<Item>>()
  #waiting = 0

  constructor(options: HostQueueOptions<Item>) {
    this.#options = options
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Requests in flight, without the slow ones. */
  get active(): number {
    return this.#active.size
  }

  get slow(): number {
    return this.#slow.size
  }

  /** True when a host has no free slot for active or slow requests. */
  isSaturated(host: string): boolean {
    const { maxSlowPerHost, maxPerHost } = this.#options
    if (maxSlowPerHost === 0) return false
    return this.#slowByHost.of(host) >= maxSlowPerHost && this.#activeByHost.of(host) >= maxPerHost
  }

  /** Times are ms of a monotonic clock, here and below. */
  enqueue(item: Item, nowMs: number): void {
    const { urgent, others } = this.#groupOf(item)
    const queue = this.#options.isUrgent?.(item) === true ? urgent : others
    queue.enqueue({ item, sinceMs: nowMs })
    this.#waiting++
  }

  /**
   * Takes the next item that may be sent; null when there is none. An item that waited longer than
   * `maxWaitMs` is left to `takeOverdue`.
   */
  takeNext(nowMs: number, maxWaitMs = Number.POSITIVE_INFINITY): HostSlot<Item> | null {
    this.#moveSlowApart(nowMs)
    if (this.#active.size >= this.#options.maxInFlight) return null
    for (let next = this.#nextInTurn(); next !== null; next = this.#nextInTurn()) {
      const { item, sinceMs } = next
      const { host } = item
      if (nowMs - sinceMs >= maxWaitMs) this.#overdue.push(next)
      else if (this.#activeByHost.of(host) >= this.#options.maxPerHost) this.#block(host, next)
      else {
        this.#waiting--
        this.#activeByHost.add(host, 1)
        const slot = { item, host, startedMs: nowMs }
        this.#active.add(slot)
        return slot
      }
    }
    return null
  }

  release(slot: HostSlot<Item>): void {
    if (this.#active.delete(slot as InFlight<Item>)) this.#freeActive(slot.host)
    else if (this.#slow.delete(slot as InFlight<Item>)) this.#slowByHost.add(slot.host, -1)
  }

  /** Removes and returns the items that waited at least `afterMs`. */
  takeOverdue(nowMs: number, afterMs: number): Item[] {
    const overdue = this.#overdue.splice(0)
    const queues = [...this.#groups.values()].flatMap(({ next, urgent, others }) => [
      next,
      urgent,
      others,
    ])
    const rest: Waiting<Item>[] = []
    for (const queue of [...queues, ...this.#blockedByHost.values()]) {
      const isLate = ({ sinceMs }: Waiting<Item>) => nowMs - sinceMs >= afterMs
      for (const waiting of queue.drain()) (isLate(waiting) ? overdue : rest).push(waiting)
      for (const waiting of rest.splice(0)) queue.enqueue(waiting)
    }
    this.#waiting -= overdue.length
    return overdue.map(({ item }) => item)
  }

  #moveSlowApart(nowMs: number): void {
    const { slowAfterMs, maxSlow, maxSlowPerHost } = this.#options
    for (const slot of this.#active) {
      if (nowMs - slot.startedMs < slowAfterMs || this.#slow.size >= maxSlow) return
      if (this.#slowByHost.of(slot.host) >= maxSlowPerHost) continue
      this.#active.delete(slot)
      this.#slow.add(slot)
      this.#slowByHost.add(slot.host, 1)
      this.#freeActive(slot.host)
    }
  }

  /** Frees a slot of the host for the item that has waited for it longest. */
  #freeActive(host: string): void {
    this.#activeByHost.add(host, -1)
    const blocked = this.#blockedByHost.get(host)
    if (blocked === undefined) return
    const next = blocked.dequeue()
    if (blocked.size === 0) this.#blockedByHost.delete(host)
    if (next !== undefined) this.#groupOf(next.item).next.enqueue(next)
  }

  #block(host: string, waiting: Waiting<Item>): void {
    const blocked = this.#blockedByHost.get(host) ?? new Queue()
    this.#blockedByHost.set(host, blocked)
    blocked.enqueue(waiting)
  }

  /** Removes the next item of the next group, which moves to the end. */
  #nextInTurn(): Waiting<Item> | null {
    for (let group = this.#turns.dequeue(); group !== undefined; group = this.#turns.dequeue()) {
      const waiting = group.next.dequeue() ?? group.urgent.dequeue() ?? group.others.dequeue()
      if (waiting === undefined) this.#groups.delete(group.key)
      else {
        this.#turns.enqueue(group)
        return waiting
      }
    }
    return null
  }

  #groupOf(item: Item): Group<Item> {
    const key = this.#options.groupOf?.(item) ?? item.host
    const known = this.#groups.get(key)
    if (known !== undefined) return known
    const group = newGroup<Item>(key)
    this.#groups.set(key, group)
    this.#turns.enqueue(group)
    return group
  }
}

const newGroup = <Item>(key: string): Group<Item> => ({
  key,
  next: new Queue(),
  urgent: new Queue(),
  others: new Queue(),
})
