/** Truncates texts at code points, and escaped texts never inside an escape. */

const ELLIPSIS = '…'
const ELLIPSIS_BYTES = Buffer.byteLength(ELLIPSIS)

/**
 * Escapes a text of any length. The escaped form of a text is never larger than those of its parts together:
 * `escapeAndTruncateBytes` measures by parts.
 */
export type EscapeText = (text: string) => string

/** Truncates to `max` UTF-16 units, the unit of the strictest limit. */
export const truncateText = (text: string, max: number): string =>
  escapeAndTruncate(text, max, plain)

const plain = (character: string): string => character

/** Truncates like `truncateText`, measured after each character was escaped. */
export const escapeAndTruncate = (
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

/** Truncates to a size in UTF-8. */
export const truncateBytes = (text: string, maxBytes: number): string =>
  Buffer.byteLength(text) <= maxBytes ? text : escapeAndTruncateBytes(text, maxBytes, plain)

/** Chunk lengths, each tried until one does not fit: a few calls instead of one per character. */
const PART_LENGTHS = [1_024, 32, 1] as const

/**
 * Returns the start of a text that is too long: escaped and, with its ellipsis, at most `maxBytes`
 * of UTF-8.
 */
export const escapeAndTruncateBytes = (
  text: string,
  maxBytes: number,
  escapeText: EscapeText,
): string => {
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

/** Returns the index, or the next one inside a surrogate pair. */
const endOfCharacter = (text: string, index: number): number =>
  index < text.length && (text.codePointAt(index - 1) ?? 0) > 0xffff ? index + 1 : index
