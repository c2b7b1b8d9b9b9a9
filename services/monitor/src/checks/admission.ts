/**
 * Which waiting check goes next: organizations in turn, failing and recovering targets before
 * healthy ones, never more than a few at one host, never more than the process can carry.
 */

export interface Candidate {
  organizationId: string
  /** Host and port that the check will ask. */
  host: string
  isUrgent: boolean
}

export interface AdmissionLimits {
  maxInFlight: number
  maxPerHost: number
}

interface Queue<C> {
  urgent: C[]
  calm: C[]
}

export class Admission<C extends Candidate> {
  readonly #limits: AdmissionLimits
  /** In order of turns: who was served goes to the end. */
  readonly #organizations = new Map<string, Queue<C>>()
  readonly #perHost = new Map<string, number>()
  /** Passed over, because their host was busy. */
  readonly #heldBack = new Map<string, C[]>()
  inFlight = 0
  waiting = 0

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
  }

  offer(candidate: C): void {
    this.waiting += 1
    const { urgent, calm } = this.#queueOf(candidate.organizationId)
    if (candidate.isUrgent) urgent.push(candidate)
    else calm.push(candidate)
  }

  /** The next to go, or null while there is none or no room. The host of each is given back. */
  take(): C | null {
    if (this.inFlight >= this.#limits.maxInFlight) return null
    for (let next = this.#nextInTurn(); next !== null; next = this.#nextInTurn()) {
      const atHost = this.#perHost.get(next.host) ?? 0
      if (atHost >= this.#limits.maxPerHost) {
        this.#holdBack(next)
        continue
      }
      this.#perHost.set(next.host, atHost + 1)
      this.inFlight += 1
      this.waiting -= 1
      return next
    }
    return null
  }

  giveBack(host: string): void {
    this.inFlight -= 1
    const rest = (this.#perHost.get(host) ?? 1) - 1
    if (rest > 0) this.#perHost.set(host, rest)
    else this.#perHost.delete(host)
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
