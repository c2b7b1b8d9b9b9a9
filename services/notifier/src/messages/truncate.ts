/** Shortens texts at the end of a code point, and escaped ones never inside of an escape. */

const ELLIPSIS = '…'
const ELLIPSIS_BYTES = Buffer.byteLength(ELLIPSIS)

/**
 * Escapes a text of any length. The escaped form of a text is never larger than those of its parts together:
 * `escapedWithinBytes` measures by parts.
 */
export type Escape = (text: string) => string

/** At most `max` UTF-16 units, which is what the strictest reader counts. */
export const truncated = (text: string, max: number): string => escapedWithin(text, max, plain)

const plain = (character: string): string => character

/** As `truncated`, of the text after each of its characters was escaped. */
export const escapedWithin = (
  text: string,
  max: number,
  escapePiece: (piece: string) => string,
  pieces: RegExp = CHARACTERS,
): string => {
  if (max < ELLIPSIS.length) return ''
  let short = ''
  let whole = ''
  for (const [piece] of text.matchAll(pieces)) {
    const escaped = escapePiece(piece)
    if (whole.length + escaped.length > max) return `${short}${ELLIPSIS}`
    whole += escaped
    if (whole.length <= max - ELLIPSIS.length) short = whole
  }
  return whole
}

const CHARACTERS = /./gsu

/** Lengths of the parts, each tried until one does not fit: a few calls where a character each were thousands. */
const PART_LENGTHS = [1_024, 32, 1] as const

/** The start of a text that is too long: escaped and with its ellipsis at most `maxBytes` of UTF-8. */
export const escapedWithinBytes = (text: string, maxBytes: number, escapeText: Escape): string => {
  let left = maxBytes - ELLIPSIS_BYTES
  if (left < 0) return ''
  let end = 0
  for (const length of PART_LENGTHS) {
    while (end < text.length) {
      const next = endOfCharacter(text, end + length)
      const size = Buffer.byteLength(escapeText(text.slice(end, next)))
      if (size > left) break
      left -= size
      end = next
    }
  }
  return escapeText(text.slice(0, end)) + ELLIPSIS
}

/** The index, or the next one where it lies inside of a surrogate pair. */
const endOfCharacter = (text: string, index: number): number =>
  index < text.length && (text.codePointAt(index - 1) ?? 0) > 0xffff ? index + 1 : index
