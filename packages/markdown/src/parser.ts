/**
 * Parser of messages: the subset of CommonMark that incidents, maintenances and postmortems may
 * use. HTML, tables, thematic breaks, entities and link reference definitions are not part of it
 * and stay text; so do links to anything but `http`, `https` and `mailto`. Images become links.
 */
import createMarkdownIt, {
  type MarkdownIt,
  type StateCore,
  type StateInline,
  type Token,
} from 'markdown-it'

/** The parser drops blocks below this depth, so a deeper message is parsed without nesting. */
const MAX_NESTING = 10

/**
 * Maximum number of characters that can begin a mark, a block or a link. The time of a rendering
 * grows with them: the worst message with 3,000 took 10 ms, the worst with 25,000 took 50 ms. A
 * message with more of them is plain text. Prose of 25,000 characters has about 1,500.
 */
export const MAX_SIGNS = 3_000
const SIGNS = /[!-/:-@[-`{-~\n]/g

const LINK = /^(?:https?:\/\/|mailto:)/i

/** Rules of the parser that are outside the subset. */
const EXCLUDED_RULES = ['entity', 'hr', 'html_block', 'html_inline', 'image', 'reference']

const createParser = (): MarkdownIt => {
  const parser = createMarkdownIt('commonmark', {
    html: false,
    breaks: true,
    linkify: true,
    xhtmlOut: false,
    maxNesting: MAX_NESTING,
  })
  parser.disable(EXCLUDED_RULES).enable('linkify')
  parser.validateLink = (url) => LINK.test(url)
  // Only URLs with a scheme: a message that names `build.sh` does not link to a host.
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
  parser.linkify.add('ftp:', null).add('mailto:', null).add('//', null)
  parser.inline.ruler.before('link', 'image_link', imageLink)
  parser.inline.ruler.before('link', 'link_without_url', linkWithoutUrl)
  parser.core.ruler.push('link_label', labelLinks)
  parser.core.ruler.push('direction', directBlocks)
  return parser
}

/** Skips the exclamation mark of an image, whose rest is a link. */
function imageLink(state: StateInline): boolean {
  const markAt = state.pos
  if (!state.src.startsWith('![', markAt)) return false
  const linkAt = markAt + 1
  state.pos = linkAt
  state.md.inline.skipToken(state)
  const isLink = state.pos > linkAt + 1
  state.pos = isLink ? linkAt : markAt
  return isLink
}

const EMPTY_DESTINATION = /\(\s*\)/y

/** Keeps the bracket of a link without a URL as text: the parser does not validate an empty one. */
function linkWithoutUrl(state: StateInline, silent: boolean): boolean {
  const { pos, src, md } = state
  if (src[pos] !== '[') return false
  const labelEnd = md.helpers.parseLinkLabel(state, pos, true)
  EMPTY_DESTINATION.lastIndex = labelEnd + 1
  if (labelEnd < 0 || !EMPTY_DESTINATION.test(src)) return false
  if (!silent) state.pending += '['
  state.pos = pos + 1
  return true
}

/** Labels links without a label by their URL. */
function labelLinks(state: StateCore): void {
  for (const block of state.tokens) {
    block.children =
      block.children?.flatMap((token, index, spans) =>
        token.type === 'link_open' && spans[index + 1]?.type === 'link_close'
          ? [asAutolink(token), urlText(state, token)]
          : [token],
      ) ?? null
  }
}

const DIRECTED_BLOCKS = ['bullet_list_open', 'ordered_list_open', 'blockquote_open']

/** Places the marks of lists and quotes at the side where their own text begins. */
function directBlocks({ tokens }: StateCore): void {
  for (const token of tokens) if (DIRECTED_BLOCKS.includes(token.type)) token.attrSet('dir', 'auto')
}

const asAutolink = (link: Token): Token => Object.assign(link, { info: 'auto' })

const urlText = ({ Token }: StateCore, link: Token): Token =>
  Object.assign(new Token('text', '', 0), { content: hrefOf(link), level: link.level + 1 })

const parser = createParser()
const flatParser = createParser().disable(['blockquote', 'list', 'code'])
const plainParser = createMarkdownIt('zero')

/** Returns the tokens of a message; no text of it is lost, whatever its depth. */
export const parseMessage = (message: string): Token[] => {
  if (hasTooManySigns(message)) return plainTokens(message)
  const tokens = parser.parse(message, {})
  const isTruncated = tokens.some(({ level, nesting }) => nesting === 1 && level >= MAX_NESTING - 1)
  return isTruncated ? flatParser.parse(message, {}) : tokens
}

const hasTooManySigns = (message: string): boolean =>
  message.length > MAX_SIGNS && (message.match(SIGNS)?.length ?? 0) > MAX_SIGNS

/** Tokens of one paragraph: a text with its line breaks. */
const plainTokens = (message: string): Token[] =>
  plainParser.parse('-', {}).toSpliced(1, 1, ...plainParser.parseInline(message, {}))

export const hrefOf = (token: Token | undefined): string => String(token?.attrGet('href') ?? '')

export type { Token }
