/** HTML of a message. Every text is escaped, and no elements but those of the subset are written. */
import createMarkdownIt, { type Token } from 'markdown-it'
import { hrefOf, parseMessage } from './parser.ts'

const { options, renderer, utils } = createMarkdownIt({ breaks: true })

Object.assign(renderer.rules, {
  // Text of a message that is not parsed has line breaks.
  text: (tokens: readonly Token[], index: number) =>
    utils.escapeHtml(tokens[index]?.content ?? '').replaceAll('\n', '<br>\n'),
  heading_open: () => '<p><strong>',
  heading_close: () => '</strong></p>\n',
  // A message is written by a tenant, so search engines give its links no weight.
  link_open: (tokens: readonly Token[], index: number) =>
    `<a href="${utils.escapeHtml(hrefOf(tokens[index]))}" rel="nofollow">`,
  fence: codeBlock,
  code_block: codeBlock,
})

function codeBlock(tokens: readonly Token[], index: number): string {
  return `<pre><code>${utils.escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`
}

/** Returns the HTML of a message of Markdown: block elements, without a surrounding element. */
export const messageHtml = (message: string): string =>
  renderer.render(parseMessage(message), options, {}).trimEnd()
