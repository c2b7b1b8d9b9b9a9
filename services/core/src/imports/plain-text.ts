/** Conversion of imported texts: markup becomes plain text, and long texts are truncated. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StatuspageDocuments } from '@status-page/contracts'
import { type TextFormat, textFormats } from '@status-page/service'
import { convert } from 'html-to-text'

/** Matches in linear time: no alternative reaches beyond the next tag. */
const markup = /<\/?[a-z][^<>]*>|&(?:[a-z]+|#\d+);/i
/** Maximum depth of nested elements; deeper ones are omitted. */
const MAX_DEPTH = 50
/**
 * Maximum number of elements, converted in about 30 ms; beyond it tags are removed without layout.
 */
const MAX_ELEMENTS = 4_000
/** Start of an element; a line break becomes an element, too. */
const ELEMENT_START = /[<\n]/
/** Control characters except tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
const ELLIPSIS = '…'

/** Converts markup to plain text and retains the URLs of links. */
export const plainText = (text: string): string => {
  const lines = text.replaceAll(/\r\n?/g, '\n')
  return (markup.test(lines) ? withoutMarkup(lines) : lines).replaceAll(control, '')
}

const withoutMarkup = (lines: string): string => {
  const elements = lines.split(ELEMENT_START, MAX_ELEMENTS + 2).length - 1
  if (elements > MAX_ELEMENTS) return lines.replaceAll(/<[^<>]*>/g, ' ')
  return convert(lines.replaceAll('\n', '<br>'), {
    wordwrap: false,
    limits: { maxDepth: MAX_DEPTH },
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
      { selector: 'img', format: 'skip' },
    ],
  })
}

const { canonical, accepts } = textFormats['one-line'] as TextFormat

/** All texts that may contain markup. */
export const collectMarkupTexts = (documents: StatuspageDocuments): string[] => {
  const { components = [], component_groups: groups = [] } = documents
  const { incidents = [], scheduled_maintenances: maintenances = [] } = documents
  return [
    ...[...components, ...groups].flatMap((one) => [one.name, one.description ?? '']),
    ...[...incidents, ...maintenances].flatMap(({ name, incident_updates: updates }) => [
      name,
      ...(updates ?? []).map(({ body }) => body ?? ''),
    ]),
  ]
}

/**
 * Converts many texts and yields to the event loop between them, since megabytes of markup take
 * seconds.
 */
export const plainTexts = async (texts: Iterable<string>): Promise<ReadonlyMap<string, string>> => {
  const plain = new Map<string, string>()
  for (const text of new Set(texts)) {
    plain.set(text, plainText(text))
    await nextTurn()
  }
  return plain
}

/** Single visible line of a plain text; null when it is empty. */
export const toOneLine = (text: string): string | null => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  const seen = canonical?.(line) ?? line
  return seen !== '' && accepts(seen) ? seen : null
}

/** Truncates to a number of code points, the unit of all limits. */
export const truncateText = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text
  // A code point has at most two code units, so this slice is long enough.
  const points = [...text.slice(0, 2 * maxLength + 2)]
  return points.length <= maxLength ? text : points.slice(0, maxLength - 1).join('') + ELLIPSIS
}
