/** Turns for costly work, shared fairly: an owner has one at a time, and owners take turns in a circle. */
import { unavailable } from '@status-page/contracts'

export interface FairTurnLimits {
  atOnce: number
  /** Of one owner. */
  waitingEach: number
  waiting: number
  /** Whoever waited so long is not waited for any more. */
  waitMs: number
  /** What whoever finds a queue full, or waits for too long, is told. */
  refusal: string
}

export type InFairTurn = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>

export const createFairTurns = (limits: FairTurnLimits): InFairTurn => {
  const running = new Set<string>()
  /** By owner, whoever is next first; nobody with an empty queue. */
  const queues = new Map<string, (() => void)[]>()
  let waiting = 0

  const begin = () => {
    for (const [owner, queue] of queues) {
      if (running.size >= limits.atOnce) return
      if (running.has(owner)) continue
      running.add(owner)
      waiting--
      const [first, ...others] = queue
      if (others.length > 0) queues.set(owner, others)
      else queues.delete(owner)
      first?.()
    }
  }

  const enter = (owner: string): Promise<void> => {
    const queue = queues.get(owner) ?? []
    if (queue.length >= limits.waitingEach || waiting >= limits.waiting) {
      throw unavailable(limits.refusal)
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const turn = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      give(owner, turn)
      reject(unavailable(limits.refusal))
    }, limits.waitMs)
    queues.set(owner, [...queue, turn])
    waiting++
    begin()
    return promise
  }

  /** Its place, to whoever comes after. */
  const give = (owner: string, turn: () => void) => {
    const others = (queues.get(owner) ?? []).filter((one) => one !== turn)
    if (others.length > 0) queues.set(owner, others)
    else queues.delete(owner)
    waiting--
  }

  const leave = (owner: string) => {
    running.delete(owner)
    const queue = queues.get(owner)
    // Behind all others.
    queues.delete(owner)
    if (queue !== undefined) queues.set(owner, queue)
    begin()
  }

  return async (owner, work) => {
    await enter(owner)
    try {
      return await work()
    } finally {
      leave(owner)
    }
  }
}
