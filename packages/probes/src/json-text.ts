/** Compact JSON of a parsed value, as far as a comparison needs it. */
import type { StepBudget } from '@status-page/outbound'

const NODE_STEPS = 60
const KEY_STEPS = 10

/**
 * Returns the first `maxCharacters` of `JSON.stringify(value)` and visits no more of the value than
 * these need. Nesting is bounded by `parseUntrustedJson`.
 */
export const jsonText = (value: unknown, maxCharacters: number, budget: StepBudget): string => {
  const out = new Output(maxCharacters, budget)
  write(out, value)
  return out.text.slice(0, maxCharacters)
}

class Output {
  text = ''
  readonly #maxCharacters: number
  readonly budget: StepBudget

  constructor(maxCharacters: number, budget: StepBudget) {
    this.#maxCharacters = maxCharacters
    this.budget = budget
  }

  get room(): number {
    return this.#maxCharacters - this.text.length
  }

  put(part: string): void {
    this.budget.spend(NODE_STEPS + part.length)
    this.text += part
  }
}

const write = (out: Output, value: unknown): void => {
  if (out.room <= 0) return
  if (typeof value === 'string') out.put(quoted(out, value))
  else if (Array.isArray(value)) writeArray(out, value)
  else if (typeof value === 'object' && value !== null) writeObject(out, value)
  else out.put(String(JSON.stringify(value)))
}

/** Quotes only the part of a long text that fits. */
const quoted = (out: Output, text: string): string => JSON.stringify(text.slice(0, out.room))

const writeArray = (out: Output, elements: readonly unknown[]): void => {
  let separator = '['
  for (const element of elements) {
    if (out.room <= 0) return
    out.put(separator)
    write(out, element)
    separator = ','
  }
  out.put(separator === '[' ? '[]' : ']')
}

const writeObject = (out: Output, object: object): void => {
  const keys = Object.keys(object)
  out.budget.spend(KEY_STEPS * keys.length)
  let separator = '{'
  for (const key of keys) {
    if (out.room <= 0) return
    out.put(`${separator}${quoted(out, key)}:`)
    write(out, (object as Record<string, unknown>)[key])
    separator = ','
  }
  out.put(separator === '{' ? '{}' : '}')
}
