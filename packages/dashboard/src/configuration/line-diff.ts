/** Differences of two texts by line. */
import { structuredPatch } from 'diff'

export interface DiffLine {
  kind: 'same' | 'removed' | 'added'
  /** Number in the first text for a removed line, else in the second. */
  number: number
  text: string
}

const CONTEXT_LINES = 3
/** Texts with more differences are not compared: the time grows with their square. */
const MAX_DIFFERENCES = 4_000

/** Groups of changed lines with their context; null if the texts differ too much. */
export const lineDiff = (before: string, after: string): DiffLine[][] | null => {
  const patch = structuredPatch('', '', before, after, '', '', {
    context: CONTEXT_LINES,
    maxEditLength: MAX_DIFFERENCES,
  })
  if (patch === undefined) return null
  return patch.hunks.map(({ oldStart, newStart, lines }) => {
    let [oldNumber, newNumber] = [oldStart, newStart]
    return lines
      .filter((line) => !line.startsWith('\\'))
      .map((line): DiffLine => {
        const text = line.slice(1)
        if (line.startsWith('-')) return { kind: 'removed', number: oldNumber++, text }
        if (line.startsWith('+')) return { kind: 'added', number: newNumber++, text }
        oldNumber++
        return { kind: 'same', number: newNumber++, text }
      })
  })
}
