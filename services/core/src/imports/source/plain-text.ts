/** Imported names and descriptions: markup becomes plain text, and long texts are truncated. */
import { type TextFormat, textFormats } from '@status-page/service'
import { convertMarkup } from './markup.ts'

const ELLIPSIS = '…'

/** Converts markup to plain text and retains the URLs of links. */
export const plainText = (text: string): string =>
  convertMarkup(text, {
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
      { selector: 'img', format: 'skip' },
    ],
  })

const { canonical, accepts } = textFormats['one-line'] as TextFormat

/** Single visible line of a plain text; null when it is empty. */
export const toOneLine = (text: string): string | null => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  const visible = canonical?.(line) ?? line
  return visible !== '' && accepts(visible) ? visible : null
}

/** Truncates to a number of code points, the unit of all limits. */
export const truncateText = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text
  // A code point has at most two code units, so this slice is long enough.
  const points = [...text.slice(0, 2 * maxLength + 2)]
  return points.length <= maxLength ? text : points.slice(0, maxLength - 1).join('') + ELLIPSIS
}
