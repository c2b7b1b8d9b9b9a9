/**
 * XML parsed by the signature library's parser, so that the validated content is the verified
 * content. Every malformed document throws.
 */
import { DOMParser } from '@xmldom/xmldom'

export const PROTOCOL_NAMESPACE = 'urn:oasis:names:tc:SAML:2.0:protocol'
export const ASSERTION_NAMESPACE = 'urn:oasis:names:tc:SAML:2.0:assertion'
export const METADATA_NAMESPACE = 'urn:oasis:names:tc:SAML:2.0:metadata'
export const SIGNATURE_NAMESPACE = 'http://www.w3.org/2000/09/xmldsig#'

/**
 * Error for a refused document; the reason is an identifier and never contains a part of the
 * document.
 */
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

/** Refuses DTDs, comments, CDATA and processing instructions, which parsers treat differently. */
export const validateMessageText = (text: string): void => {
  const body = text.replace(declaration, '')
  if (body.includes('<!')) throw new XmlError('markup_declaration')
  if (body.includes('<?')) throw new XmlError('processing_instruction')
}

/** Refuses DTDs and CDATA; metadata is edited by people and may contain comments. */
export const validateMetadataText = (text: string): void => {
  const body = text.replace(declaration, '')
  if (/<!(?!--)/.test(body)) throw new XmlError('markup_declaration')
}

const MAX_DEPTH = 64

/**
 * Limits the depth, counted on the text: the parser is iterative, but later steps are recursive.
 */
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

export const hasElementName = (element: Element, namespace: string, name: string): boolean =>
  element.namespaceURI === namespace && element.localName === name

export const childrenNamed = (element: Element, namespace: string, name: string): Element[] =>
  childrenOf(element).filter((child) => hasElementName(child, namespace, name))

/** Returns the element and its descendants in document order. */
export const elementAndDescendants = (root: Element): Element[] => {
  const found: Element[] = []
  const stack = [root]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    found.push(next)
    stack.push(...childrenOf(next).reverse())
  }
  return found
}

/** Returns null without the attribute; the library returns the empty string. */
export const attributeOf = (element: Element, name: string): string | null =>
  element.hasAttribute(name) ? element.getAttribute(name) : null

export const textOf = (element: Element): string => element.textContent ?? ''
