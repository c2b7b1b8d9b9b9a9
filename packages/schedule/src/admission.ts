/**
 * Admission of waiting checks and polls: organizations take turns, failing and recovering targets
 * go before healthy ones, with limits per host and per process. A check that waits longer than a
 * second for its response only holds a socket: it is counted separately, so that thousands of
 * hanging targets delay no other.
 */

export interface Candidate {
  organizationId: string
  /** Host and port of the check. */
  host: string
  isUrgent: boolean
}

export interface AdmissionLimits {
  maxInFlight: number
  maxPerHost: number
  /** Maximum hanging checks; beyond it a check counts as any other. */
  maxHanging: number
  maxHangingPerHost: number
  /** Time after which a check counts as hanging. */
  hangsAfterMs: number
}

/** Check in progress; released when it ends. */
export interface Admitted<C> {
  readonly candidate: C
  /** Host at the start of the check. */
  readonly host: string
}

interface Ticket<C> extends Admitted<C> {
  startedMs: number
}

/** Counts per host; a host with a count of zero takes no memory. */
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

interface Queue<C> {
  urgent: C[]
  calm: C[]
}

export class Admission<C extends Candidate> {
  readonly #limits: AdmissionLimits
  /** Organizations in the order of their turns; a served one moves to the end. */
  readonly #organizations = new Map<string, Queue<C>>()
  readonly #quickAt = new HostCounts()
  readonly #hangingAt = new HostCounts()
  /** Candidates that were skipped because their host was busy. */
  readonly #heldBack = new Map<string, C[]>()
  /** Checks in the order of their start. */
  readonly #quick = new Set<Ticket<C>>()
  readonly #hanging = new Set<Ticket<C>>()
  waiting = 0

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
  }

  get inFlight(): number {
    return this.#quick.size + this.#hanging.size
  }

  get hanging(): number {
    return this.#hanging.size
  }

  offer(candidate: C): void {
    this.waiting += 1
    const { urgent, calm } = this.#queueOf(candidate.organizationId)
    if (candidate.isUrgent) urgent.push(candidate)
    else calm.push(candidate)
  }

  /** Next candidate; null when there is none or no capacity. `nowMs` is monotonic. */
  take(nowMs: number): Admitted<C> | null {
    this.#setHangingApart(nowMs)
    if (this.#quick.size >= this.#limits.maxInFlight) return null
    for (let next = this.#nextInTurn(); next !== null; next = this.#nextInTurn()) {
      const { host } = next
      if (this.#quickAt.of(host) >= this.#limits.maxPerHost) {
        this.#holdBack(next)
        continue
      }
      this.#quickAt.add(host, 1)
      this.waiting -= 1
      const ticket = { candidate: next, host, startedMs: nowMs }
      this.#quick.add(ticket)
      return ticket
    }
    return null
  }

  giveBack(admitted: Admitted<C>): void {
    const { host } = admitted
    if (this.#quick.delete(admitted as Ticket<C>)) this.#leave(host)
    else if (this.#hanging.delete(admitted as Ticket<C>)) this.#hangingAt.add(host, -1)
  }

  #setHangingApart(nowMs: number): void {
    const { hangsAfterMs, maxHanging, maxHangingPerHost } = this.#limits
    for (const ticket of this.#quick) {
      if (nowMs - ticket.startedMs < hangsAfterMs || this.#hanging.size >= maxHanging) return
      if (this.#hangingAt.of(ticket.host) >= maxHangingPerHost) continue
      this.#quick.delete(ticket)
      this.#hanging.add(ticket)
      this.#hangingAt.add(ticket.host, 1)
      this.#leave(ticket.host)
    }
  }

  /** Frees a slot of the host and queues the next candidate that waits for it. */
  #leave(host: string): void {
    this.#quickAt.add(host, -1)
    const [next, ...others] = this.#heldBack.get(host) ?? []
    if (next === undefined) return
    if (others.length > 0) this.#heldBack.set(host, others)
    else this.#heldBack.delete(host)
    this.#queueOf(next.organizationId).urgent.unshift(next)
  }

  #nextInTurn(): C | null {
    for (const [organizationId, queue] of this.#organizations) {
      this.#organizations.delete(organizationId)
      const candidate = queue.urgent.shift() ?? queue.calm.shift()
      if (queue.urgent.length + queue.calm.length > 0)
        this.#organizations.set(organizationId, queue)
      if (candidate !== undefined) return candidate
    }
    return null
  }

  #holdBack(candidate: C): void {
    const others = this.#heldBack.get(candidate.host)
    if (others === undefined) this.#heldBack.set(candidate.host, [candidate])
    else others.push(candidate)
  }

  #queueOf(organizationId: string): Queue<C> {
    const known = this.#organizations.get(organizationId)
    if (known !== undefined) return known
    const queue = { urgent: [], calm: [] }
    this.#organizations.set(organizationId, queue)
    return queue
  }
}
