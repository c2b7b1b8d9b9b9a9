/** Messages for unusable metadata; they repeat nothing of its content. */
import { type AppError, invalid } from '@status-page/contracts'

export const MAX_METADATA_BYTES = 512 * 1024

const problems: Readonly<Record<string, string>> = {
  size: 'has more than 512 KiB',
  markup_declaration: 'has a document type or CDATA, which metadata does not need',
  not_well_formed: 'is not well-formed XML',
  depth: 'is nested too deeply',
  not_one_entity: 'is not one EntityDescriptor',
  not_one_provider: 'does not describe exactly one SAML 2.0 identity provider',
  entity_id: 'has no usable entityID',
  sso_url_missing: 'has no SingleSignOnService with the binding HTTP-Redirect',
  sso_url: 'has a SingleSignOnService whose Location is not a plain https URL',
  certificate_missing: 'has no signing certificate',
  certificate_count: 'has too many signing certificates',
  certificate: 'has a certificate that cannot be read',
  certificate_key: 'has a certificate whose key is not RSA of at least 2048 bits',
  // Reasons of a failed metadata request.
  blocked: 'is at an address that is not allowed',
  dns_error: 'is at a name that does not resolve',
  connect_error: 'is at a host that does not respond',
  tls_error: 'is at a host without a valid certificate',
  protocol_error: 'is at a host that does not respond over HTTP',
  timeout: 'was not received in time',
  too_large: 'has more than 512 KiB',
  status: 'was not returned with status 200',
}

export const metadataProblem = (field: 'metadataXml' | 'metadataUrl', reason: string): AppError =>
  invalid({ field, message: `The metadata ${problems[reason] ?? 'cannot be read'}` })
