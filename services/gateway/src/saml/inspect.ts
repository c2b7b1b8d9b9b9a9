/** From the text of a message to what its signed part says. Runs in a worker: the text is a stranger's. */
import { IdentityProvider, SamlLib } from 'samlify'
import { readFields } from './message-fields.ts'
import type { MessageFields } from './rules.ts'
import { validateSchema } from './schema.ts'
import { validateStructure } from './structure.ts'
import {
  ASSERTION,
  attributeOf,
  isNamed,
  parseXml,
  validateDepth,
  validateMessageText,
  XmlError,
} from './xml.ts'

/** A provider's certificates as base64 of DER; a message is verified by these and no others. */
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
  if (!isNamed(assertion, ASSERTION, 'Assertion') || !attributeOf(assertion, 'ID')) {
    throw new XmlError('signature')
  }
  return readFields(response, assertion)
}

/**
 * The assertion as it was signed. Each certificate is tried alone: of several the library would take
 * the first, unless the message itself names one.
 */
const signedAssertion = (text: string, certificates: readonly string[]): string => {
  for (const certificate of certificates) {
    const assertion = verified(text, certificate)
    if (assertion !== null) return assertion
  }
  throw new XmlError('signature')
}

/** Only the certificate matters here. */
const nowhere = { Binding: 'none', Location: 'none' }

const verified = (text: string, certificate: string): string | null => {
  const { entityMeta: metadata } = IdentityProvider({
    entityID: 'verifier',
    signingCert: certificate,
    singleSignOnService: [nowhere],
    // Never used; without one the library writes to the console.
    singleLogoutService: [nowhere],
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
