/**
 * Responses of an identity provider, built and signed part by part, so that a test can change each
 * part.
 */

import { rsaCertificate, type TestCertificate } from '@status-page/testing'
import { SignedXml } from 'xml-crypto'

export const provider: TestCertificate = rsaCertificate()

export const parties = {
  idpEntityId: 'https://idp.test/metadata',
  spEntityId: 'https://status.test/api/v1/auth/saml/acme/metadata',
  acsUrl: 'https://status.test/api/v1/auth/saml/acme/acs',
}

const at = (offsetMs: number) => new Date(Date.now() + offsetMs).toISOString()
const MINUTE_MS = 60_000

/** Values of a valid message; a test overrides the one under test. */
const good = () => ({
  responseId: '_response',
  assertionId: '_assertion',
  destination: ` Destination="${parties.acsUrl}"`,
  inResponseTo: '_request',
  issuer: parties.idpEntityId,
  status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
  issueInstant: at(0),
  nameId: 'ana',
  nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  recipient: parties.acsUrl,
  notBefore: at(-MINUTE_MS),
  notOnOrAfter: at(5 * MINUTE_MS),
  audience: parties.spEntityId,
  mails: ['ana@example.com'],
  /** Additional elements next to the assertion. */
  extensions: '',
  advice: '',
})
export type MessageValues = ReturnType<typeof good>

export interface Signing {
  over?: readonly ('assertion' | 'response')[]
  by?: TestCertificate
  signatureAlgorithm?: string
  digestAlgorithm?: string
  transforms?: readonly string[]
  canonicalizationAlgorithm?: string
  hasKeyInfo?: boolean
}

export const ALGORITHMS = {
  rsaSha1: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  rsaSha256: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  rsaSha512: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  hmacSha1: 'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
  sha1: 'http://www.w3.org/2000/09/xmldsig#sha1',
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
  enveloped: 'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
  exclusive: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  inclusive: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
}

export const unsignedMessage = (values: Partial<MessageValues> = {}): string => {
  const v = { ...good(), ...values }
  const mails = v.mails.map((mail) => `<saml:AttributeValue>${mail}</saml:AttributeValue>`).join('')
  const attributes =
    mails === ''
      ? ''
      : `<saml:AttributeStatement><saml:Attribute Name="mail">${mails}</saml:Attribute></saml:AttributeStatement>`
  return (
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${v.responseId}" Version="2.0" IssueInstant="${v.issueInstant}"${v.destination} InResponseTo="${v.inResponseTo}">` +
    `<saml:Issuer>${v.issuer}</saml:Issuer>${v.extensions}` +
    `<samlp:Status><samlp:StatusCode Value="${v.status}"/></samlp:Status>` +
    `<saml:Assertion ID="${v.assertionId}" Version="2.0" IssueInstant="${v.issueInstant}"><saml:Issuer>${v.issuer}</saml:Issuer>` +
    `<saml:Subject><saml:NameID Format="${v.nameIdFormat}">${v.nameId}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${v.notOnOrAfter}" Recipient="${v.recipient}" InResponseTo="${v.inResponseTo}"/></saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${v.notBefore}" NotOnOrAfter="${v.notOnOrAfter}"><saml:AudienceRestriction><saml:Audience>${v.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>${v.advice}` +
    `<saml:AuthnStatement AuthnInstant="${v.issueInstant}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
    `${attributes}</saml:Assertion></samlp:Response>`
  )
}

const places = {
  assertion: "/*/*[local-name(.)='Assertion']",
  response: '/*',
}

export const signed = (xml: string, signing: Signing = {}): string => {
  const { over = ['assertion'], by = provider, hasKeyInfo = true } = signing
  const { signatureAlgorithm = ALGORITHMS.rsaSha256, digestAlgorithm = ALGORITHMS.sha256 } = signing
  const { canonicalizationAlgorithm = ALGORITHMS.exclusive } = signing
  const { transforms = [ALGORITHMS.enveloped, ALGORITHMS.exclusive] } = signing
  return over.reduce((text, place) => {
    const isKeyed = signatureAlgorithm === ALGORITHMS.hmacSha1
    const signature = new SignedXml({
      privateKey: isKeyed ? by.cert : by.key,
      ...(hasKeyInfo && !isKeyed ? { publicCert: by.cert } : {}),
      signatureAlgorithm,
      canonicalizationAlgorithm,
    })
    if (isKeyed) signature.enableHMAC()
    const xpath = places[place]
    signature.addReference({ xpath, digestAlgorithm, transforms: [...transforms] })
    const reference = `${xpath}/*[local-name(.)='Issuer']`
    signature.computeSignature(text, { location: { reference, action: 'after' } })
    return signature.getSignedXml()
  }, xml)
}

export const message = (values: Partial<MessageValues> = {}, signing: Signing = {}): string =>
  signed(unsignedMessage(values), signing)
