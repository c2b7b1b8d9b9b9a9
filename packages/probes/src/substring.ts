/**
 * Linear-time search for a text in a tenant's text (Knuth, Morris, Pratt). The search of V8 takes
 * 0.35 s for 1 MiB of `a` and a pattern of ten `a`, a `b`, and 501 `a`.
 */
import type { StepBudget } from '@status-page/outbound'

/**
 * Cost of a native search for the first character, in steps; it pays off only when the character is
 * rare.
 */
const JUMP_STEPS = 25
const MIN_JUMP = 64

/** Returns whether `text` contains `part`; spends about two steps per character at most. */
export const containsText = (text: string, part: string, budget: StepBudget): boolean => {
  if (part.length === 0) return true
  const borders = bordersOf(part)
  let steps = 2 * part.length
  let matched = 0
  let nextJump = 0
  let at = 0
  for (; at < text.length && matched < part.length; at++) {
    if (matched === 0 && at >= nextJump) {
      const found = text.indexOf(part.charAt(0), at)
      steps += JUMP_STEPS
      if (found === -1) break
      if (found - at < MIN_JUMP) nextJump = found + MIN_JUMP
      at = found
    }
    const code = text.charCodeAt(at)
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0
    if (part.charCodeAt(matched) === code) matched++
    steps++
  }
  budget.spend(steps)
  return matched === part.length
}

/** Length of the longest proper prefix that is also a suffix, for each prefix. */
const bordersOf = (part: string): Uint16Array => {
  const borders = new Uint16Array(part.length)
  let length = 0
  for (let at = 1; at < part.length; at++) {
    const code = part.charCodeAt(at)
    while (length > 0 && part.charCodeAt(length) !== code) length = borders[length - 1] ?? 0
    if (part.charCodeAt(length) === code) length++
    borders[at] = length
  }
  return borders
}
