/** Tagged template for markup: every value is escaped, except markup from this template. */
import type { Cooperative } from '@status-page/contracts'
import { runToEnd, TextBytes } from '@status-page/service'
import { escapeHtml, stripInvalidXmlCharacters } from './escape.ts'

/** Markup that is rendered on demand, so that a long page can be rendered in slices. */
export class Markup {
  readonly strings: readonly string[]
  readonly pieces: readonly MarkupValue[]

  constructor(strings: readonly string[], pieces: readonly MarkupValue[]) {
    this.strings = strings
    this.pieces = pieces
  }

  /** Renders a small document without yielding. */
  toString(): string {
    return runToEnd(renderMarkup(this)).toString()
  }
}

/**
 * Value in a template: lists are concatenated; null, undefined and false render nothing; bytes are
 * rendered markup.
 */
export type MarkupValue =
  | Markup
  | Buffer
  | string
  | number
  | null
  | undefined
  | false
  | Iterable<MarkupValue>

export const html = (strings: TemplateStringsArray, ...pieces: readonly MarkupValue[]): Markup =>
  new Markup(strings, pieces)

/** Inserts text unescaped: constants of this source, such as styles, and rendered messages. */
export const trustedMarkup = (text: string): Markup => new Markup([text], [])

/** List whose entries are rendered one by one while the page is written. */
export const renderEach = <Entry>(
  entries: readonly Entry[],
  draw: (entry: Entry) => MarkupValue,
): Iterable<MarkupValue> => ({
  *[Symbol.iterator]() {
    for (const entry of entries) yield draw(entry)
  },
})

/** Characters between two yields, rendered in well below a millisecond. */
const STEP_CHARACTERS = 8_192
const STEP_PIECES = 64

/**
 * Renders bytes in UTF-8. Iterates the tree with an explicit stack: with a generator per level, each yield would pass
 * through all levels.
 */
export function* renderMarkup(markup: Markup): Cooperative<Buffer> {
  const stack: Iterator<MarkupValue | Verbatim>[] = [partsOf(markup)]
  const text = new TextBytes()
  let characters = 0
  let pieces = 0
  while (stack.length > 0) {
    const { done, value } = stack[stack.length - 1]?.next() ?? { done: true, value: null }
    if (done) stack.pop()
    else if (value instanceof Markup) stack.push(partsOf(value))
    else if (value instanceof Verbatim) text.append(value.text)
    else if (value instanceof Buffer) text.append(value)
    else if (typeof value === 'object' && value !== null) stack.push(value[Symbol.iterator]())
    else text.append(textOf(value))
    pieces += 1
    if (pieces < STEP_PIECES && text.length - characters < STEP_CHARACTERS) continue
    characters = text.length
    pieces = 0
    yield
  }
  return text.toBuffer()
}

/** Constant text between the values of a template. */
class Verbatim {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

function* partsOf({ strings, pieces }: Markup): Iterator<MarkupValue | Verbatim> {
  for (const [index, text] of strings.entries()) {
    if (text !== '') yield new Verbatim(text)
    if (index < pieces.length) yield pieces[index]
  }
}

const textOf = (piece: string | number | null | undefined | false): string =>
  piece === null || piece === undefined || piece === false
    ? ''
    : escapeHtml(stripInvalidXmlCharacters(String(piece)))

/** Replaces the placeholders `{}` of a sentence by markup, in their order. */
export const fillPlaceholders = (sentence: string, ...pieces: readonly MarkupValue[]): Markup =>
  html`${sentence.split('{}').map((text, index) => html`${text}${pieces[index]}`)}`

/** Replaces the placeholders `{}` of a sentence by texts, in their order. */
export const fillText = (sentence: string, ...values: readonly string[]): string =>
  sentence.split('{}').reduce((filled, text, index) => `${filled}${values[index - 1]}${text}`)

const URL_IN_TEXT = /https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}]/gu

/** Plain text with its line breaks; HTTP URLs become links. */
export const linkUrls = (text: string): Markup => {
  const pieces: MarkupValue[] = []
  let end = 0
  for (const found of text.matchAll(URL_IN_TEXT)) {
    const [url] = found
    pieces.push(text.slice(end, found.index), html`<a href="${url}" rel="nofollow">${url}</a>`)
    end = found.index + url.length
  }
  return html`${pieces}${text.slice(end)}`
}
