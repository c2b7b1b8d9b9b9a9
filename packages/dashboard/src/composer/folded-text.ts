/**
 * Text for comparison: without case, accents and Arabic vowels, with one space between words, and
 * the position of each character in the text as written.
 */

export interface FoldedText {
  text: string
  /** Position in the written text of each folded character, and of its end. */
  positions: readonly number[]
}

const SPACE = /\s/u
/** Accents and vowels; the voicing marks of Japanese distinguish words. */
const MARK = /[\p{M}\u0640]/u
const VOICING_MARK = /[\u3099\u309a]/

export const foldText = (written: string): FoldedText => {
  let text = ''
  const positions: number[] = []
  let position = 0
  for (const character of written) {
    const folded = foldCharacter(character)
    if (folded !== ' ' || !text.endsWith(' ')) {
      text += folded
      for (let index = 0; index < folded.length; index++) positions.push(position)
    }
    position += character.length
  }
  return { text, positions: [...positions, position] }
}

const foldCharacter = (character: string): string => {
  if (SPACE.test(character)) return ' '
  const letters = [...character.normalize('NFKD').toLowerCase().normalize('NFKD')]
  return letters.filter((letter) => !MARK.test(letter) || VOICING_MARK.test(letter)).join('')
}

const WORD = /[\p{L}\p{N}_]/u
/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\u30fc\u3099\u309a]/u

export const isUnspaced = (text: string): boolean => UNSPACED.test(text)

/** Returns whether a word begins or ends before the character at `index`. */
export const isBoundary = (text: string, index: number): boolean => {
  const before = text[index - 1]
  const after = text[index]
  if (before === undefined || after === undefined) return true
  if (VOICING_MARK.test(after)) return false
  if (isUnspaced(before) || isUnspaced(after)) return true
  if (WORD.test(before) && WORD.test(after)) return false
  // A dot within a word is part of a host name or a version.
  const isDotted = before === '.' || after === '.'
  const outer = before === '.' ? [text[index - 2], after] : [before, text[index + 1]]
  return !(isDotted && outer.every((letter) => letter !== undefined && WORD.test(letter)))
}
