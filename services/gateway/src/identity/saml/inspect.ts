/**
 * Inspection of a message: verifies the signature and reads the signed assertion. Runs in a worker,
 * because the text comes from an unauthenticated client.
 */
import { IdentityProvider, SamlLib } from 'samlify'
import { readMessageFields } from './message-fields.ts'
import type { MessageFields } from './rules.ts'
import { validateSchema } from './schema.ts'
import { validateStructure } from './structure.ts'
import {
  ASSERTION_NAMESPACE,
  attributeOf,
  hasElementName,
  parseXml,
  validateDepth,
  validateMessageText,
  XmlError,
} from './xml.ts'

/**
 * Reads a response. `certificates` are those of the provider as base64 of DER; certificates of the
 * message are ignored.
 */
export const inspectResponse = async (
  text: string,
  certificates: readonly string[],
): Promise<MessageFields> => {
  validateMessageText(text)
  validateDepth(text)
  await validateSchema(text)
  const response = parseXml(text)
  validateStructure(response)
  const assertion = parseXml(signedAssertion(text, certificates))
  if (
    !hasElementName(assertion, ASSERTION_NAMESPACE, 'Assertion') ||
    !attributeOf(assertion, 'ID')
  ) {
    throw new XmlError('signature')
  }
  return readMessageFields(response, assertion)
}

/**
 * Returns the assertion as it was signed. Certificates are tried one by one: given several, the
 * library would use the first, unless the message names one.
 */
const signedAssertion = (text: string, certificates: readonly string[]): string => {
  for (const certificate of certificates) {
    const assertion = verified(text, certificate)
    if (assertion !== null) return assertion
  }
  throw new XmlError('signature')
}

/** Placeholder location; only the certificate is used. */
const placeholderLocation = { Binding: 'none', Location: 'none' }

const verified = (text: string, certificate: string): string | null => {
  const { entityMeta: metadata } = IdentityProvider({
    entityID: 'verifier',
    signingCert: certificate,
    singleSignOnService: [placeholderLocation],
    // Unused; without a location the library writes to the console.
    singleLogoutService: [placeholderLocation],
  })
  try {
    const [isVerified, assertion] = SamlLib.verifySignature(text, {
      metadata,
      signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    })
    return isVerified ? assertion : null
  } catch {
    return null
  }
}
