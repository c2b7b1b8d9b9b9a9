/**
 * When a page changes, all who look at it ask at once: one goes ahead the long way, and the others wait for
 * what it brings instead of going the long way too, which would hold up everybody else for its time.
 */

/** Then each goes on by itself: who goes ahead may be late. */
const MAX_WAIT_MS = 250
/** Of all crowds together; beyond it nobody waits here. */
const MAX_WAITING = 4_000

interface Crowd {
  turns: (() => void)[]
  timer: NodeJS.Timeout
}

export class RequestCoalescer {
  readonly #crowds = new Map<string, Crowd>()
  #waiting = 0

  isInFlight(name: string): boolean {
    return this.#crowds.has(name)
  }

  /** The first goes ahead; gives what tells that it is back. */
  begin(name: string): () => void {
    const leave = () => this.#end(name, crowd)
    const crowd: Crowd = { turns: [], timer: setTimeout(leave, MAX_WAIT_MS) }
    this.#crowds.set(name, crowd)
    return leave
  }

  /** Whether it waits; its turn comes once, whatever becomes of who went ahead. */
  wait(name: string, turn: () => void): boolean {
    const crowd = this.#crowds.get(name)
    if (crowd === undefined || this.#waiting >= MAX_WAITING) return false
    this.#waiting++
    crowd.turns.push(turn)
    return true
  }

  /** There is an answer. */
  release(name: string) {
    const crowd = this.#crowds.get(name)
    if (crowd !== undefined) this.#end(name, crowd)
  }

  #end(name: string, crowd: Crowd) {
    clearTimeout(crowd.timer)
    if (this.#crowds.get(name) === crowd) this.#crowds.delete(name)
    const turns = crowd.turns.splice(0)
    this.#waiting -= turns.length
    for (const turn of turns) turn()
  }
}
