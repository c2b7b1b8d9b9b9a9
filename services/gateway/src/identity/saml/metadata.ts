/**
 * Fields of an identity provider's metadata that the login needs. Runs in a worker, because the
 * text comes from a tenant.
 */
import { X509Certificate } from 'node:crypto'
import {
  attributeOf,
  childrenNamed,
  elementAndDescendants,
  hasElementName,
  METADATA_NAMESPACE,
  PROTOCOL_NAMESPACE,
  parseXml,
  SIGNATURE_NAMESPACE,
  textOf,
  validateDepth,
  validateMetadataText,
  XmlError,
} from './xml.ts'

export interface ProviderMetadata {
  entityId: string
  ssoUrl: string
  /** Certificates as base64 of DER. */
  certificates: string[]
}

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const MAX_ENTITY_ID_LENGTH = 1_024
const MAX_URL_LENGTH = 2_048
const MAX_CERTIFICATES = 10
const MIN_KEY_BITS = 2_048

export const readMetadata = (text: string): ProviderMetadata => {
  validateMetadataText(text)
  validateDepth(text)
  const root = parseXml(text)
  if (!hasElementName(root, METADATA_NAMESPACE, 'EntityDescriptor'))
    throw new XmlError('not_one_entity')
  const [provider, ...others] = childrenNamed(root, METADATA_NAMESPACE, 'IDPSSODescriptor').filter(
    (element) =>
      (attributeOf(element, 'protocolSupportEnumeration') ?? '')
        .split(/\s+/)
        .includes(PROTOCOL_NAMESPACE),
  )
  if (provider === undefined || others.length > 0) throw new XmlError('not_one_provider')
  return {
    entityId: entityIdOf(root),
    ssoUrl: ssoUrlOf(provider),
    certificates: certificatesOf(provider),
  }
}

const entityIdOf = (root: Element): string => {
  const id = attributeOf(root, 'entityID') ?? ''
  if (!/^\S+$/.test(id) || id.length > MAX_ENTITY_ID_LENGTH) throw new XmlError('entity_id')
  return id
}

const ssoUrlOf = (provider: Element): string => {
  const location = childrenNamed(provider, METADATA_NAMESPACE, 'SingleSignOnService')
    .filter((element) => attributeOf(element, 'Binding') === REDIRECT)
    .map((element) => attributeOf(element, 'Location') ?? '')[0]
  if (location === undefined) throw new XmlError('sso_url_missing')
  const url = location.length > MAX_URL_LENGTH ? null : URL.parse(location)
  const isPlain = url !== null && url.username === '' && url.password === '' && url.hash === ''
  if (!isPlain || url.protocol !== 'https:') throw new XmlError('sso_url')
  return url.href
}

/** Signing certificates; a key without `use` counts as a signing key. */
const certificatesOf = (provider: Element): string[] => {
  const texts = childrenNamed(provider, METADATA_NAMESPACE, 'KeyDescriptor')
    .filter((key) => (attributeOf(key, 'use') ?? 'signing') === 'signing')
    .flatMap(elementAndDescendants)
    .filter((element) => hasElementName(element, SIGNATURE_NAMESPACE, 'X509Certificate'))
    .map((element) => textOf(element).replaceAll(/\s+/g, ''))
  const certificates = [...new Set(texts)]
  if (certificates.length === 0) throw new XmlError('certificate_missing')
  if (certificates.length > MAX_CERTIFICATES) throw new XmlError('certificate_count')
  return certificates.map(validateCertificate)
}

/** Validates a certificate; the signature library supports RSA only. */
const validateCertificate = (base64: string): string => {
  const certificate = certificateOf(base64)
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey
  const bits = asymmetricKeyDetails?.modulusLength ?? 0
  if (asymmetricKeyType !== 'rsa' || bits < MIN_KEY_BITS) throw new XmlError('certificate_key')
  return certificate.raw.toString('base64')
}

const certificateOf = (base64: string): X509Certificate => {
  try {
    return new X509Certificate(Buffer.from(base64, 'base64'))
  } catch {
    throw new XmlError('certificate')
  }
}
