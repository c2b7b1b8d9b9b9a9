/**
 * React nodes of a message, with the elements that the public page renders (`messageHtml` of
 * packages/markdown). A message never becomes HTML text, so it cannot contain elements of its own.
 */
import { hrefOf, parseMessage, type Token } from '@status-page/markdown/parser'
import { createElement, type ReactNode } from 'react'

type Tokens = Iterator<Token, undefined>

export const messageNodes = (message: string): ReactNode[] =>
  nodesUntil(null, parseMessage(message).values())

const nodesUntil = (end: string | null, tokens: Tokens): ReactNode[] => {
  const nodes: ReactNode[] = []
  for (let next = tokens.next(); !next.done; next = tokens.next()) {
    if (next.value.type === end) break
    nodes.push(...nodesOf(next.value, tokens, nodes.length))
  }
  return nodes
}

const nodesOf = (token: Token, tokens: Tokens, key: number): ReactNode[] => {
  switch (token.type) {
    case 'inline':
      return nodesUntil(null, (token.children ?? []).values())
    case 'softbreak':
    case 'hardbreak':
      return [createElement('br', { key })]
    case 'code_inline':
      return [createElement('code', { key }, token.content)]
    case 'fence':
    case 'code_block':
      return [createElement('pre', { key }, createElement('code', null, token.content))]
    default:
      return token.nesting === 1 ? [elementOf(token, tokens, key)] : linesOf(token.content, key)
  }
}

const elementOf = (token: Token, tokens: Tokens, key: number): ReactNode => {
  const children = nodesUntil(token.type.replace(/_open$/, '_close'), tokens)
  if (token.type === 'paragraph_open' && token.hidden) return children
  if (token.type === 'heading_open') {
    return createElement('p', { key }, createElement('strong', null, ...children))
  }
  return createElement(token.tag, { key, ...attributesOf(token) }, ...children)
}

const attributesOf = (token: Token): Record<string, string | number> =>
  token.type === 'link_open'
    ? { href: hrefOf(token), rel: 'nofollow noopener', target: '_blank' }
    : Object.fromEntries(token.attrs ?? [])

/** Text of a message that is not parsed has line breaks. */
const linesOf = (text: string, key: number): ReactNode[] =>
  text
    .split('\n')
    .flatMap((line, index) =>
      index === 0 ? [line] : [createElement('br', { key: `${key}.${index}` }), line],
    )
