/** Markup by tagged template: whatever is put in is escaped, unless it is markup of ours already. */
import { escapeHtml, withoutForbidden } from '../escape.ts'

const mark: unique symbol = Symbol('markup')

export interface Markup {
  readonly [mark]: true
  toString(): string
}

/** Lists are put in one after the other; null, undefined and false are nothing. */
export type Piece = Markup | string | number | null | undefined | false | readonly Piece[]

const asMarkup = (text: string): Markup => ({ [mark]: true, toString: () => text })

export const html = (strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup =>
  asMarkup(strings.reduce((done, text, index) => done + textOf(pieces[index - 1]) + text))

/** Only for texts of this source: a style, a script. */
export const trusted = asMarkup

export const isMarkup = (value: unknown): value is Markup =>
  typeof value === 'object' && value !== null && mark in value

const textOf = (piece: Piece): string => {
  if (piece === null || piece === undefined || piece === false) return ''
  if (isMarkup(piece)) return piece.toString()
  if (typeof piece === 'object') return piece.map(textOf).join('')
  return escapeHtml(withoutForbidden(String(piece)))
}

/** A sentence with one gap, `{}`, in which markup stands. */
export const filled = (sentence: string, piece: Piece): Markup => {
  const [before = '', after = ''] = sentence.split('{}')
  return html`${before}${piece}${after}`
}

const URL_IN_TEXT = /https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}]/gu

/** Plain text whose line breaks the style keeps; only addresses of the web become links. */
export const linked = (text: string): Markup => {
  const pieces: Piece[] = []
  let end = 0
  for (const found of text.matchAll(URL_IN_TEXT)) {
    const [url] = found
    pieces.push(text.slice(end, found.index), html`<a href="${url}" rel="nofollow">${url}</a>`)
    end = found.index + url.length
  }
  return html`${pieces}${text.slice(end)}`
}
