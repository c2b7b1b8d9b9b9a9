/** Conversion of texts with markup by a table of formats, in bounded time. */
import { convert, type HtmlToTextOptions } from 'html-to-text'

/** Matches in linear time: no alternative reaches beyond the next tag. */
const markup = /<\/?[a-z][^<>]*>|&(?:[a-z]+|#\d+);/i
/** Maximum depth of nested elements; deeper ones are omitted. */
export const MAX_DEPTH = 50
/**
 * Maximum number of elements, converted in about 30 ms; beyond it tags are removed without layout.
 */
const MAX_ELEMENTS = 4_000
/** Start of an element or an entity; a line break becomes an element, too. */
const ELEMENT_START = /[<&\n]/
/** Control characters except tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

type Formats = Pick<HtmlToTextOptions, 'selectors' | 'formatters'>

export const convertMarkup = (text: string, formats: Formats): string => {
  const lines = text.replaceAll(/\r\n?/g, '\n')
  return (markup.test(lines) ? withoutMarkup(lines, formats) : lines).replaceAll(control, '')
}

const withoutMarkup = (lines: string, formats: Formats): string => {
  const elements = lines.split(ELEMENT_START, MAX_ELEMENTS + 2).length - 1
  if (elements > MAX_ELEMENTS) return lines.replaceAll(/<[^<>]*>/g, ' ')
  return convert(lines.replaceAll('\n', '<br>'), {
    wordwrap: false,
    limits: { maxDepth: MAX_DEPTH },
    ...formats,
  })
}
