/**
 * JSON of untrusted hosts. `JSON.parse` takes up to 0.3 s for 1 MiB, depending on the content: an
 * object with a new property costs a hundred times as much as a number. The cost is estimated
 * first, by a scan of a few milliseconds, and a text beyond the budget is not parsed.
 */
import { randomInt } from 'node:crypto'
import { type StepBudget, StepBudgetError } from './step-budget.ts'

/** Steps of the scan and of the parser for each character. */
const CHARACTER_STEPS = 3
/** Steps for a number without a fraction, a literal, or a text that was seen before. */
const VALUE_STEPS = 8
const FLOAT_STEPS = 20
const CONTAINER_STEPS = 50
/** Steps for a property of a shape (the properties before it, in order) that was seen before. */
const KNOWN_PROPERTY_STEPS = 20
/** Steps for a new property of a shape: V8 makes a hidden class for it. */
const NEW_PROPERTY_STEPS = 1000
/** Steps for a new short text, which V8 looks up in its table of strings. */
const NEW_TEXT_STEPS = 250
const SHORT_TEXT_CHARACTERS = 10
/** Maximum nesting, so that recursive code over the value does not overflow its stack. */
const MAX_DEPTH = 500

const [QUOTE, COMMA, POINT, COLON, BACKSLASH] = [0x22, 0x2c, 0x2e, 0x3a, 0x5c] as const
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const
const [LOWER_E, UPPER_E, ZERO, NINE, SPACE] = [0x65, 0x45, 0x30, 0x39, 0x20] as const

/** Slots of the table of known hashes; a collision counts a known one as new. */
const SEEN_SLOTS = 1 << 14
const PRIME = 0x01000193
/** Random for each process, so that a host cannot choose properties whose hashes collide. */
const SEED = randomInt(2 ** 31)

/**
 * Parses a text within the budget; `undefined` when it is not JSON. Throws `StepBudgetError` for a
 * text that is too costly or nested too deeply.
 */
export const parseUntrustedJson = (text: string, budget: StepBudget): unknown => {
  if (!/^[\s]*[[{"\-\dtfn]/.test(text)) return undefined
  budget.spend(CHARACTER_STEPS * text.length)
  new CostScan(text, budget).run()
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Spends the cost of a text; also of one that turns out not to be JSON. */
class CostScan {
  readonly #text: string
  readonly #budget: StepBudget
  readonly #seen = new Int32Array(SEEN_SLOTS)
  /** Hashes of the shapes of the open containers. */
  readonly #outer: number[] = []
  #shape = SEED

  constructor(text: string, budget: StepBudget) {
    this.#text = text
    this.#budget = budget
  }

  run(): void {
    const text = this.#text
    const { length } = text
    let steps = 0
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) at = this.#string(at + 1)
      else if (code === COMMA) steps += VALUE_STEPS
      else if (code === OPEN_OBJECT || code === OPEN_ARRAY) this.#open()
      else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) this.#close()
      else if (code === POINT || code === LOWER_E || code === UPPER_E) {
        const before = text.charCodeAt(at - 1)
        if (before >= ZERO && before <= NINE) steps += FLOAT_STEPS
      }
    }
    this.#budget.spend(steps)
  }

  #open(): void {
    this.#budget.spend(CONTAINER_STEPS)
    if (this.#outer.length >= MAX_DEPTH) throw new StepBudgetError()
    this.#outer.push(this.#shape)
    this.#shape = SEED
  }

  #close(): void {
    this.#shape = this.#outer.pop() ?? SEED
  }

  /** Returns the position of the closing quote. */
  #string(start: number): number {
    const text = this.#text
    const { length } = text
    let hash = SEED
    let at = start
    for (let code = text.charCodeAt(at); code !== QUOTE && at < length; ) {
      if (code === BACKSLASH) at++
      hash = Math.imul(hash ^ code, PRIME)
      code = text.charCodeAt(++at)
    }
    if (nextCode(text, at + 1) === COLON) this.#property(hash)
    else if (at - start > SHORT_TEXT_CHARACTERS) this.#budget.spend(VALUE_STEPS)
    else this.#budget.spend(this.#isNew(hash) ? NEW_TEXT_STEPS : VALUE_STEPS)
    return at
  }

  #property(hash: number): void {
    this.#shape = Math.imul(this.#shape ^ hash ^ (hash >>> 15), PRIME)
    this.#budget.spend(this.#isNew(this.#shape) ? NEW_PROPERTY_STEPS : KNOWN_PROPERTY_STEPS)
  }

  #isNew(hash: number): boolean {
    const slot = (hash ^ (hash >>> 16)) & (SEEN_SLOTS - 1)
    if (this.#seen[slot] === hash) return false
    this.#seen[slot] = hash
    return true
  }
}

const nextCode = (text: string, from: number): number => {
  let at = from
  while (text.charCodeAt(at) <= SPACE) at++
  return text.charCodeAt(at)
}
