/** Text of another system as ours: markup becomes plain text, and what is too long is cut. */
import { type Format, formats } from '@status-page/service'
import { convert } from 'html-to-text'

const markup = /<\/?[a-z][^>]*>|&(?:[a-z]+|#\d+);/i
/** All but tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
const ELLIPSIS = '…'

/** Links keep their address, since readers get plain text. */
export const plainText = (text: string): string => {
  const lines = text.replaceAll(/\r\n?/g, '\n')
  const plain = markup.test(lines)
    ? convert(lines.replaceAll('\n', '<br>'), {
        wordwrap: false,
        selectors: [
          { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
          { selector: 'img', format: 'skip' },
        ],
      })
    : lines
  return plain.replaceAll(control, '')
}

const { canonical, accepts } = formats['one-line'] as Format

/** One line with something to see in it; null where nothing is left. */
export const oneLine = (text: string): string | null => {
  const line = plainText(text).replaceAll(/\s+/g, ' ').trim()
  const seen = canonical?.(line) ?? line
  return seen !== '' && accepts(seen) ? seen : null
}

/** Counts code points, as every bound of ours does. */
export const within = (text: string, maxLength: number): string => {
  const points = [...text]
  return points.length <= maxLength ? text : points.slice(0, maxLength - 1).join('') + ELLIPSIS
}
