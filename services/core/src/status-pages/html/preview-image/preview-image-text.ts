/**
 * Fits text into a box: the largest size at which the whole text fits, otherwise truncated at the
 * smallest. Pure.
 */
import { textWidth } from '../../../text-width.ts'

export interface TextBox {
  width: number
  maxLines: number
  /** Font sizes, largest first. */
  sizes: readonly [number, ...number[]]
}

export interface FittedText {
  size: number
  lines: string[]
}

const ELLIPSIS = '…'

export const fitText = (
  text: string,
  locale: string,
  { width, maxLines, sizes }: TextBox,
): FittedText => {
  const candidates = sizes.map((size) => ({ size, lines: linesOf(text, locale, { size, width }) }))
  const whole = candidates.find(({ lines }) => lines.length <= maxLines)
  if (whole !== undefined) return whole
  const { size, lines } = candidates.at(-1) ?? { size: sizes[0], lines: [] }
  const last = withEllipsis(lines[maxLines - 1] ?? '', { size, width })
  return { size, lines: [...lines.slice(0, maxLines - 1), last] }
}

interface Measure {
  size: number
  width: number
}

/** Breaks text into lines; words wider than a line are broken anywhere. */
const linesOf = (text: string, locale: string, { size, width }: Measure): string[] => {
  const lines: string[] = []
  let line = ''
  for (const piece of wordsOf(text, locale).flatMap((word) => {
    return textWidth(word.trimEnd(), size) > width ? characters(word) : [word]
  })) {
    if (line !== '' && textWidth(line + piece.trimEnd(), size) > width) {
      lines.push(line.trimEnd())
      line = ''
    }
    line += piece
  }
  return [...lines, line.trimEnd()]
}

/**
 * Words with the spaces and punctuation that follow; Intl.Segmenter splits languages without
 * spaces.
 */
const wordsOf = (text: string, locale: string): string[] => {
  const words: string[] = []
  for (const { segment, isWordLike } of new Intl.Segmenter(locale, { granularity: 'word' }).segment(
    text.trim(),
  )) {
    if (isWordLike || words.length === 0) words.push(segment)
    else words.push(`${words.pop()}${segment}`)
  }
  return words
}

const characters = (text: string): string[] =>
  [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)].map(
    ({ segment }) => segment,
  )

const withEllipsis = (line: string, { size, width }: Measure): string => {
  const remaining = characters(line)
  while (remaining.length > 0 && textWidth(remaining.join('') + ELLIPSIS, size) > width)
    remaining.pop()
  return remaining.join('').trimEnd() + ELLIPSIS
}
