/** XML as the signature library reads it, so that what is judged is what was verified; any flaw throws. */
import { DOMParser } from '@xmldom/xmldom'

export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
export const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'

/** Thrown for a document that is refused; the reason is a name, never a part of the document. */
export class XmlError extends Error {
  readonly reason: string

  constructor(reason: string) {
    super(reason)
    this.name = 'Refused'
    this.reason = reason
  }
}

const declaration =
  /^\s*<\?xml version=["']1\.0["'](?:\s+encoding=["']utf-8["'])?(?:\s+standalone=["'](?:yes|no)["'])?\s*\?>/i

/** Nothing that only a parser would see: no DTD, comment, CDATA or processing instruction. */
export const validateMessageText = (text: string): void => {
  const rest = text.replace(declaration, '')
  if (rest.includes('<!')) throw new XmlError('markup_declaration')
  if (rest.includes('<?')) throw new XmlError('processing_instruction')
}

/** Metadata is written by people and may have comments. */
export const validateMetadataText = (text: string): void => {
  const rest = text.replace(declaration, '')
  if (/<!(?!--)/.test(rest)) throw new XmlError('markup_declaration')
}

const MAX_DEPTH = 64

/** The parser builds by loops but others walk by recursion, so depth is counted on the text. */
export const validateDepth = (text: string): void => {
  let depth = 0
  for (const [tag] of text.matchAll(/<\/?[^!?<>][^<>]*>/g)) {
    if (tag.startsWith('</')) depth--
    else if (!tag.endsWith('/>')) depth++
    if (depth > MAX_DEPTH) throw new XmlError('depth')
  }
}

export const parseXml = (text: string): Element => {
  const fail = () => {
    throw new XmlError('not_well_formed')
  }
  const parser = new DOMParser({ errorHandler: { warning: fail, error: fail, fatalError: fail } })
  const root = parser.parseFromString(text, 'text/xml').documentElement
  return root ?? fail()
}

export const childrenOf = (element: Element): Element[] => {
  const children: Element[] = []
  for (let child = element.firstChild; child !== null; child = child.nextSibling) {
    if (child.nodeType === 1) children.push(child as Element)
  }
  return children
}

export const isNamed = (element: Element, namespace: string, name: string): boolean =>
  element.namespaceURI === namespace && element.localName === name

export const childrenNamed = (element: Element, namespace: string, name: string): Element[] =>
  childrenOf(element).filter((child) => isNamed(child, namespace, name))

/** The element and everything below it, in document order. */
export const allWithin = (root: Element): Element[] => {
  const found: Element[] = []
  const stack = [root]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    found.push(next)
    stack.push(...childrenOf(next).reverse())
  }
  return found
}

/** Null where there is none: the library answers the empty string. */
export const attributeOf = (element: Element, name: string): string | null =>
  element.hasAttribute(name) ? element.getAttribute(name) : null

export const textOf = (element: Element): string => element.textContent ?? ''
