/** Finds in one traversal which of several operands an array contains. */
import type { Operand } from '@status-page/contracts'
import type { StepBudget } from '@status-page/outbound'
import { jsonText } from './json-text.ts'

const ELEMENT_STEPS = 8

/** Elements of an array that equal an operand, by type: numbers as numbers, texts as texts. */
interface Values {
  numbers: Set<number>
  texts: Set<string>
}

export class ArrayElements {
  readonly #operands: readonly Operand[]
  readonly #budget: StepBudget
  readonly #found = new Map<readonly unknown[], Values>()

  /**
   * Collects `operands` of all conditions, so that one traversal of an array serves each of them.
   */
  constructor(operands: readonly Operand[], budget: StepBudget) {
    this.#operands = operands
    this.#budget = budget
  }

  contains(array: readonly unknown[], operand: Operand): boolean {
    const known = this.#found.get(array)
    const found = known ?? this.#traverse(array)
    if (known === undefined) this.#found.set(array, found)
    const number = numberFor(operand)
    return found.texts.has(operand.text) || (number !== null && found.numbers.has(number))
  }

  #traverse(array: readonly unknown[]): Values {
    this.#budget.spend(ELEMENT_STEPS * array.length)
    const wanted = valuesOf(this.#operands)
    const maxLength = Math.max(0, ...wanted.texts.values().map(({ length }) => length))
    const hasContainers = wanted.texts.values().some((text) => /^[[{]/.test(text))
    const found: Values = { numbers: new Set(), texts: new Set() }
    for (const element of array) {
      if (typeof element === 'number') {
        if (wanted.numbers.has(element)) found.numbers.add(element)
      } else if (typeof element === 'object' && element !== null) {
        const text = hasContainers ? jsonText(element, maxLength + 1, this.#budget) : ''
        if (text !== '' && wanted.texts.has(text)) found.texts.add(text)
      } else {
        const text = String(element)
        if (text.length <= maxLength && wanted.texts.has(text)) found.texts.add(text)
      }
    }
    return found
  }
}

/** Number that an element must equal; a quoted text also equals a number written that way. */
const numberFor = ({ number, text }: Operand): number | null => {
  if (number !== null) return number
  return String(Number(text)) === text ? Number(text) : null
}

const valuesOf = (operands: readonly Operand[]): Values => ({
  numbers: new Set(operands.map(numberFor).filter((number) => number !== null)),
  texts: new Set(operands.map(({ text }) => text)),
})
