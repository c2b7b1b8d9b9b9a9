/**
 * Cooperative scheduling of long computations in slices of a few milliseconds. Between slices the
 * event loop serves requests, and organizations take turns.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Cooperative } from '@status-page/contracts'
import { TextBytes } from './text-bytes.ts'

const SLICE_MS = 10
/** Characters that `joinCooperatively` appends between two pauses. */
const STEP_CHARACTERS = 16_384

interface Computation {
  work: Cooperative<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** Organization whose computations share one turn; null for those of the service itself. */
export type TurnOwner = string | null

export interface FairTurns {
  add<Result>(owner: TurnOwner, work: Cooperative<Result>): Promise<Result>
}

export interface FairTurnsOptions {
  nowMs(): number
  /** Calls the function after the event loop has processed pending events. */
  defer(run: () => void): void
}

/** Creates a scheduler that runs one slice for all computations, then yields to the event loop. */
export const createFairTurns = ({ nowMs, defer }: FairTurnsOptions): FairTurns => {
  /** Computations in the order of their next turns. */
  const pending = new Map<TurnOwner, Computation[]>()

  /** Runs one computation and puts its owner behind all others. */
  const takeTurn = (until: number) => {
    const [[owner, computations]] = pending as unknown as [[TurnOwner, Computation[]]]
    const computation = computations.shift() as Computation
    if (!runUntil(computation, until, nowMs)) computations.push(computation)
    pending.delete(owner)
    if (computations.length > 0) pending.set(owner, computations)
  }

  const runSlice = () => {
    const until = nowMs() + SLICE_MS
    do takeTurn(until)
    while (pending.size > 0 && nowMs() < until)
    if (pending.size > 0) defer(runSlice)
  }

  return {
    add: <Result>(owner: TurnOwner, work: Cooperative<Result>) =>
      new Promise<Result>((resolve, reject) => {
        if (pending.size === 0) defer(runSlice)
        const computation = { work, resolve, reject } as Computation
        const computations = pending.get(owner)
        if (computations === undefined) pending.set(owner, [computation])
        else computations.push(computation)
      }),
  }
}

/** Returns whether the computation has ended. */
const runUntil = (
  { work, resolve, reject }: Computation,
  until: number,
  nowMs: () => number,
): boolean => {
  try {
    do {
      const step = work.next()
      if (!step.done) continue
      resolve(step.value)
      return true
    } while (nowMs() < until)
    return false
  } catch (error) {
    reject(error)
    return true
  }
}

const turns = createFairTurns({ nowMs: () => performance.now(), defer: setImmediate })
const owners = new AsyncLocalStorage<TurnOwner>()

/** Runs the work of a request; its computations share the turns of that organization. */
export const withTurnsOf = <Result>(owner: TurnOwner, run: () => Result): Result =>
  owners.run(owner, run)

export const runCooperatively = <Result>(work: Cooperative<Result>): Promise<Result> =>
  turns.add(owners.getStore() ?? null, work)

/** Runs a small computation without a pause. */
export const runToEnd = <Result>(work: Cooperative<Result>): Result => {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** Maps entries like `Array.map`, with a pause after each. */
export function* mapCooperatively<Entry, Result>(
  entries: readonly Entry[],
  resultOf: (entry: Entry, index: number) => Result,
): Cooperative<Result[]> {
  const results: Result[] = []
  for (const [index, entry] of entries.entries()) {
    results.push(resultOf(entry, index))
    yield
  }
  return results
}

/** Returns the bytes of the pieces, which are made one by one with pauses between them. */
export function* joinCooperatively(pieces: Iterable<string>): Cooperative<Buffer> {
  const text = new TextBytes()
  let pausedAt = 0
  for (const piece of pieces) {
    text.append(piece)
    if (text.length - pausedAt < STEP_CHARACTERS) continue
    pausedAt = text.length
    yield
  }
  return text.toBuffer()
}
