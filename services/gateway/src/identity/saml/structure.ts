/**
 * Structure of accepted messages: a response with one assertion that has its own signature, where
 * each signature covers exactly its parent. Every known signature wrapping attack needs a different
 * structure.
 */
import {
  ASSERTION_NAMESPACE,
  attributeOf,
  childrenNamed,
  childrenOf,
  elementAndDescendants,
  hasElementName,
  PROTOCOL_NAMESPACE,
  SIGNATURE_NAMESPACE,
  XmlError,
} from './xml.ts'

const MAX_SIGNATURES = 2
/** Id attributes by local name, because references resolve under any prefix. */
const idNames: ReadonlySet<string> = new Set(['ID', 'Id', 'id'])

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const transforms: ReadonlySet<string | null> = new Set([
  'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
  EXCLUSIVE,
])
/** RSA with SHA-256 or better; HMAC is excluded, because the certificate is public. */
const signatureMethods: ReadonlySet<string | null> = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
])
const digestMethods: ReadonlySet<string | null> = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
])

export const validateStructure = (root: Element): void => {
  if (!hasElementName(root, PROTOCOL_NAMESPACE, 'Response')) throw new XmlError('no_response')
  const elements = elementAndDescendants(root)
  const assertions = elements.filter(({ localName }) => localName === 'Assertion')
  const [assertion, ...others] = assertions
  if (elements.some(({ localName }) => localName?.startsWith('Encrypted'))) {
    throw new XmlError('encrypted')
  }
  if (assertion === undefined || others.length > 0) throw new XmlError('assertion_count')
  if (
    assertion.parentNode !== root ||
    !hasElementName(assertion, ASSERTION_NAMESPACE, 'Assertion')
  ) {
    throw new XmlError('assertion_place')
  }
  validateIds(elements)
  validateSignatures(elements, root, assertion)
}

const validateIds = (elements: readonly Element[]) => {
  const seen = new Set<string>()
  for (const element of elements) {
    for (const { localName, name, value } of Array.from(element.attributes)) {
      if (!idNames.has(localName ?? name)) continue
      if (seen.has(value)) throw new XmlError('repeated_id')
      seen.add(value)
    }
  }
}

const validateSignatures = (elements: readonly Element[], root: Element, assertion: Element) => {
  const signatures = elements.filter(({ localName }) => localName === 'Signature')
  if (signatures.length === 0) throw new XmlError('unsigned')
  if (signatures.length > MAX_SIGNATURES) throw new XmlError('signature_count')
  const signed = new Set<Node | null>(signatures.map(({ parentNode }) => parentNode))
  if (signed.size !== signatures.length) throw new XmlError('signature_count')
  for (const signature of signatures) {
    const parent = [root, assertion].find((element) => element === signature.parentNode)
    if (parent === undefined || !hasElementName(signature, SIGNATURE_NAMESPACE, 'Signature')) {
      throw new XmlError('signature_place')
    }
    validateSignature(signature, parent)
  }
  // The metadata sets WantAssertionsSigned, so a signed response does not replace the assertion's
  // signature.
  if (!signed.has(assertion)) throw new XmlError('unsigned')
}

const validateSignature = (signature: Element, parent: Element) => {
  const within = elementAndDescendants(signature)
  if (within.some(({ localName }) => localName === 'Object')) throw new XmlError('signature_object')
  const signedInfo = only(signature, 'SignedInfo')
  const reference = only(signedInfo, 'Reference')
  const references = within.filter(({ localName }) => localName === 'Reference')
  if (references.length !== 1) throw new XmlError('reference_count')
  const id = attributeOf(parent, 'ID')
  if (!id || attributeOf(reference, 'URI') !== `#${id}`) throw new XmlError('reference_target')
  if (algorithmOf(only(signedInfo, 'CanonicalizationMethod')) !== EXCLUSIVE) {
    throw new XmlError('canonicalization')
  }
  if (!signatureMethods.has(algorithmOf(only(signedInfo, 'SignatureMethod')))) {
    throw new XmlError('signature_method')
  }
  if (!digestMethods.has(algorithmOf(only(reference, 'DigestMethod')))) {
    throw new XmlError('digest_method')
  }
  validateTransforms(only(reference, 'Transforms'))
}

const validateTransforms = (list: Element) => {
  const transformElements = childrenOf(list)
  const algorithms = transformElements.map(algorithmOf)
  const areKnown = algorithms.every((algorithm) => transforms.has(algorithm))
  if (!areKnown || new Set(algorithms).size !== algorithms.length || algorithms.length > 2) {
    throw new XmlError('transform')
  }
  // Parameters other than a list of prefixes would change the signed content.
  const parameters = transformElements.flatMap(childrenOf)
  if (
    !parameters.every((parameter) => hasElementName(parameter, EXCLUSIVE, 'InclusiveNamespaces'))
  ) {
    throw new XmlError('transform')
  }
}

const algorithmOf = (element: Element): string | null => attributeOf(element, 'Algorithm')

const only = (parent: Element, name: string): Element => {
  const [element, ...others] = childrenNamed(parent, SIGNATURE_NAMESPACE, name)
  if (element === undefined || others.length > 0) throw new XmlError('signature_form')
  return element
}
