/**
 * Imported messages: HTML and the marks of Textile that CommonMark has not become Markdown. Other
 * text stays, because messages of Statuspage are Markdown already.
 */
import type { DomNode, FormatCallback, HtmlToTextOptions } from 'html-to-text'
import { convertMarkup, MAX_DEPTH } from './markup.ts'

/** Converts a message of the source to Markdown. */
export const messageText = (text: string): string =>
  withoutTextile(convertMarkup(text, { selectors, formatters }))

/** Puts marks around an element; white space next to a mark would make it text. */
const withMark =
  (mark: string): FormatCallback =>
  (element, walk, builder) => {
    const children = element.children ?? []
    if (!hasText(children)) return walk(children, builder)
    trimEdge(children.at(0), 'trimStart')
    trimEdge(children.at(-1), 'trimEnd')
    builder.addInline(mark, { noWordTransform: true })
    walk(children, builder)
    builder.addInline(mark, { noWordTransform: true })
  }

/** Elements below the maximum depth are omitted, and may be nested too deeply for a recursion. */
const hasText = (nodes: readonly DomNode[], depth = 0): boolean =>
  nodes.some(({ type, data, children }) =>
    type === 'text' ? data?.trim() !== '' : depth < MAX_DEPTH && hasText(children ?? [], depth + 1),
  )

const trimEdge = (node: DomNode | undefined, trim: 'trimStart' | 'trimEnd'): void => {
  if (node?.type === 'text' && node.data !== undefined) node.data = node.data[trim]()
}

const LINK = /^(?:https?:\/\/|mailto:)/i

const percentEncoded = (sign: string): string =>
  `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** Writes a link with another scheme as its text. */
const link: FormatCallback = (element, walk, builder) => {
  const { href } = (element.attribs ?? {}) as { href?: string }
  const children = element.children ?? []
  const url = href?.trim().replaceAll(/[\s<>()]/g, percentEncoded) ?? ''
  if (!LINK.test(url) || !hasText(children)) return walk(children, builder)
  builder.addInline('[', { noWordTransform: true })
  walk(children, builder)
  builder.addInline(`](${url})`, { noWordTransform: true })
}

const heading: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 2 })
  builder.addInline('## ', { noWordTransform: true })
  walk(element.children ?? [], builder)
  builder.closeBlock({ trailingLineBreaks: 2 })
}

const codeBlock: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 2, isPre: true })
  builder.addInline('```\n', { noWordTransform: true })
  walk(element.children ?? [], builder)
  builder.addInline('\n```', { noWordTransform: true })
  builder.closeBlock({ trailingLineBreaks: 2 })
}

const formatters = {
  strong: withMark('**'),
  emphasis: withMark('*'),
  code: withMark('`'),
  link,
  heading,
  codeBlock,
}

const selectors: HtmlToTextOptions['selectors'] = [
  ...['b', 'strong'].map((selector) => ({ selector, format: 'strong' })),
  ...['i', 'em'].map((selector) => ({ selector, format: 'emphasis' })),
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, format: 'heading' })),
  ...['hr', 'img', 'script', 'style'].map((selector) => ({ selector, format: 'skip' })),
  { selector: 'a', format: 'link' },
  { selector: 'code', format: 'code' },
  { selector: 'pre', format: 'codeBlock' },
  { selector: 'ul', options: { itemPrefix: '- ' } },
]

/** `"text":https://…` */
const textileLink = /"([^"\n]{1,500})":(https?:\/\/[^\s<>()]{1,2000}[^\s<>().,;:!?])/g
/** `h2. Title` */
const textileHeading = /^h[1-6]\. +/gm
/** `bq. Quotation` */
const textileQuotation = /^bq\. +/gm

const withoutTextile = (text: string): string =>
  text
    .replaceAll(textileLink, '[$1]($2)')
    .replaceAll(textileHeading, '## ')
    .replaceAll(textileQuotation, '> ')
