/** Shortens texts at the end of a code point, and escaped ones never inside of an escape. */

const ELLIPSIS = '…'

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
