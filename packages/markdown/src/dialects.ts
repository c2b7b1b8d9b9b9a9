/**
 * Messages in the markup of chat services, in CommonMark and as plain text. A dialect is a table of
 * the marks that a service understands; text is escaped, so that it creates no marks of its own.
 */
import { hrefOf, parseMessage, type Token } from './parser.ts'

export interface MarkupDialect {
  /** Escapes text outside code. */
  escape: (text: string) => string
  strong: (text: string) => string
  emphasis: (text: string) => string
  /** Code within a line; the text is not escaped. */
  code: (text: string) => string
  /** Lines of code; the text is not escaped and has no line break at its end. */
  codeBlock: (text: string) => string
  /** Escapes the end of a text that would change the meaning of the link after it. */
  beforeLink: (text: string) => string
  /** Link with a label; the label is escaped, the URL is not. */
  link: (label: string, url: string) => string
  /** URL or mail address that is a link by itself: as written, and with its scheme. */
  autolink: (text: string, url: string) => string
  /** Prefix of each line of a quotation. */
  quotePrefix: string
  /** Prefix of an entry of an unordered list. */
  bullet: string
  /** Line break that the message marks by a backslash or two spaces. */
  hardBreak: string
}

const same = (text: string): string => text
/** Puts marks around the text; white space stays outside, because marks next to it are text. */
const between = (mark: string) => (text: string) => {
  const inner = text.trim()
  return inner === '' ? text : text.replace(inner, () => `${mark}${inner}${mark}`)
}
const fenced = (text: string): string => `\`\`\`\n${text.replaceAll('```', "'''")}\n\`\`\``
const inlineCode = (text: string): string => `\`${text.replaceAll('`', "'")}\``

const plainText: MarkupDialect = {
  escape: same,
  strong: same,
  emphasis: same,
  code: same,
  codeBlock: same,
  beforeLink: same,
  link: (label, url) => `${label} (${url})`,
  autolink: same,
  quotePrefix: '> ',
  bullet: '- ',
  hardBreak: '\n',
}

/** https://docs.slack.dev/messaging/formatting-message-text */
export const slackMrkdwn: MarkupDialect = {
  escape: escapeSlack,
  strong: between('*'),
  emphasis: between('_'),
  code: (text) => inlineCode(escapeSlack(text)),
  codeBlock: (text) => fenced(escapeSlack(text)),
  beforeLink: same,
  link: (label, url) => `<${slackUrl(url)}|${label.replaceAll('|', '/')}>`,
  autolink: (_text, url) => `<${slackUrl(url)}>`,
  quotePrefix: '> ',
  bullet: '• ',
  hardBreak: '\n',
}

function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const slackUrl = (url: string): string => escapeSlack(url).replaceAll('|', '%7C')

/** Signs that create marks, mentions or headings in the Markdown of Discord and Teams. */
const escapeSigns = (text: string): string => text.replaceAll(/[\\*_~`|>#[\]()<@{}!+-]/g, '\\$&')

const markdownLink = (label: string, url: string): string =>
  `[${label}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`

/** https://support.discord.com/hc/en-us/articles/210298617 */
export const discordMarkdown: MarkupDialect = {
  escape: escapeSigns,
  strong: between('**'),
  emphasis: between('*'),
  code: inlineCode,
  codeBlock: fenced,
  beforeLink: same,
  link: markdownLink,
  // Discord shows a link whose label is a URL as text.
  autolink: same,
  quotePrefix: '> ',
  bullet: '- ',
  hardBreak: '\n',
}

/** Text of adaptive cards, which has no code and no quotations. */
export const teamsMarkdown: MarkupDialect = {
  escape: escapeSigns,
  strong: between('**'),
  emphasis: between('_'),
  code: escapeSigns,
  codeBlock: escapeSigns,
  beforeLink: same,
  link: markdownLink,
  autolink: (text, url) => markdownLink(escapeSigns(text), url),
  quotePrefix: '',
  bullet: '- ',
  hardBreak: '\n',
}

/** CommonMark of the subset alone: signs that mean something outside it are escaped. */
export const commonMark: MarkupDialect = {
  escape: (text) =>
    text
      .replaceAll(/[\\`*_[\]<>|~#]/g, '\\$&')
      .replaceAll(/^([ \t]*)([+=-])/gm, '$1\\$2')
      .replaceAll(/^([ \t]*\d+)([.)])/gm, '$1\\$2'),
  strong: between('**'),
  emphasis: between('*'),
  code: inlineCode,
  codeBlock: fenced,
  // An exclamation mark before a link makes it an image.
  beforeLink: (text) => text.replace(/!$/, '\\!'),
  link: markdownLink,
  autolink: (text) => `<${text}>`,
  quotePrefix: '> ',
  bullet: '- ',
  // An empty line would end the paragraph.
  hardBreak: '\\\n',
}

/** Returns a message without marks, for SMS and the plain part of mails. */
export const messagePlainText = (message: string): string => renderMessage(message, plainText)

/**
 * Returns a message in CommonMark with the same text. Strong text and emphasis are omitted where
 * their marks are next to others in a way that CommonMark reads differently.
 */
export const messageCommonMark = (message: string): string => {
  const marked = renderMessage(message, commonMark)
  return hasTextOf(marked, message) ? marked : renderMessage(message, unmarkedCommonMark)
}

const unmarkedCommonMark: MarkupDialect = { ...commonMark, strong: same, emphasis: same }

const hasTextOf = (message: string, other: string): boolean =>
  withoutSpace(messagePlainText(message)) === withoutSpace(messagePlainText(other))

const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, '')

export const renderMessage = (message: string, dialect: MarkupDialect): string => {
  const tokens = parseMessage(message).values()
  return blocksUntil(null, tokens, dialect).join('\n\n')
}

type Tokens = Iterator<Token, undefined>

/** Renders the blocks up to the token of type `end`, or all of them. */
function blocksUntil(end: string | null, tokens: Tokens, dialect: MarkupDialect): string[] {
  const blocks: string[] = []
  for (let next = tokens.next(); !next.done; next = tokens.next()) {
    if (next.value.type === end) break
    const block = renderBlock(next.value, tokens, dialect)
    if (block !== null) blocks.push(block)
  }
  return blocks
}

function renderBlock(token: Token, tokens: Tokens, dialect: MarkupDialect): string | null {
  switch (token.type) {
    case 'inline':
      return inlineUntil(null, (token.children ?? []).values(), dialect)
    case 'heading_open':
      return dialect.strong(blocksUntil('heading_close', tokens, withoutStrong(dialect)).join('\n'))
    case 'fence':
    case 'code_block':
      return dialect.codeBlock(token.content.trimEnd())
    case 'blockquote_open':
      return prefixed(blocksUntil('blockquote_close', tokens, dialect).join('\n\n'), {
        first: dialect.quotePrefix,
        others: dialect.quotePrefix,
      })
    case 'bullet_list_open':
      return renderList(tokens, dialect, () => dialect.bullet)
    case 'ordered_list_open': {
      const start = Number(token.attrGet('start') ?? 1)
      return renderList(tokens, dialect, (index) => `${start + index}. `)
    }
    default:
      return null
  }
}

/** Entries of a list up to its end; lines after the first are indented below the marker. */
function renderList(
  tokens: Tokens,
  dialect: MarkupDialect,
  markerOf: (index: number) => string,
): string {
  const entries: string[] = []
  for (let next = tokens.next(); !next.done; next = tokens.next()) {
    if (next.value.type !== 'list_item_open') break
    const first = markerOf(entries.length)
    const blocks = blocksUntil('list_item_close', tokens, dialect)
    entries.push(prefixed(blocks.join('\n'), { first, others: ' '.repeat(first.length) }))
  }
  return entries.join('\n')
}

const prefixed = (text: string, { first, others }: { first: string; others: string }): string =>
  text
    .split('\n')
    .map((line, index) => `${index === 0 ? first : others}${line}`.trimEnd())
    .join('\n')

/** Dialects inside a mark: no service understands a mark within the same mark. */
const withoutStrong = (dialect: MarkupDialect): MarkupDialect => ({ ...dialect, strong: same })
const withoutEmphasis = (dialect: MarkupDialect): MarkupDialect => ({ ...dialect, emphasis: same })

function inlineUntil(end: string | null, tokens: Tokens, dialect: MarkupDialect): string {
  let text = ''
  for (let next = tokens.next(); !next.done; next = tokens.next()) {
    const { value } = next
    if (value.type === end) break
    if (value.type === 'link_open') text = dialect.beforeLink(text)
    text += renderSpan(value, tokens, dialect)
  }
  return text
}

function renderSpan(token: Token, tokens: Tokens, dialect: MarkupDialect): string {
  switch (token.type) {
    case 'softbreak':
      return '\n'
    case 'hardbreak':
      return dialect.hardBreak
    case 'code_inline':
      return dialect.code(token.content)
    case 'strong_open':
      return dialect.strong(inlineUntil('strong_close', tokens, withoutStrong(dialect)))
    case 'em_open':
      return dialect.emphasis(inlineUntil('em_close', tokens, withoutEmphasis(dialect)))
    case 'link_open':
      return renderLink(token, tokens, dialect)
    default:
      return dialect.escape(token.content)
  }
}

function renderLink(token: Token, tokens: Tokens, dialect: MarkupDialect): string {
  const url = hrefOf(token)
  return token.info === 'auto'
    ? dialect.autolink(inlineUntil('link_close', tokens, plainText), url)
    : dialect.link(inlineUntil('link_close', tokens, dialect), url)
}
