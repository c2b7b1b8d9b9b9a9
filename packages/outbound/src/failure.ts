/** Kinds of failures of an outbound request, from the errors of Node and undici. */
import type { OutboundError } from '@status-page/contracts'

/** Certificate problem that made the TLS handshake fail. */
export type CertificateFault = 'wrong_name' | 'expired' | 'not_yet_valid' | 'untrusted'

/** Carries the kind through undici and nodemailer; the cause stays inside this package. */
export class OutboundFailure extends Error {
  readonly kind: OutboundError

  constructor(kind: OutboundError, cause?: unknown) {
    super(kind, { cause })
    this.name = 'OutboundFailure'
    this.kind = kind
  }
}

/** Returns the kind of an error after the connection was established. */
export const outboundErrorOf = (error: unknown): OutboundError => {
  if (error instanceof OutboundFailure) return error.kind
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown }
  if (cause instanceof OutboundFailure) return cause.kind
  return (typeof code === 'string' && kinds[code]) || 'protocol_error'
}

export const certificateFaultOf = (error: unknown): CertificateFault | null => {
  const cause = error instanceof OutboundFailure ? error.cause : error
  const { code } = (cause ?? {}) as { code?: unknown }
  return typeof code === 'string' ? (certificateFaults[code] ?? null) : null
}

const certificateFaults: Record<string, CertificateFault> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong_name',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not_yet_valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
}

const kinds: Record<string, OutboundError> = {
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  HPE_HEADER_OVERFLOW: 'too_large',
}
