/** Why an exchange with a remote failed: the closed set that tenants may see, never a raw error. */

export const outboundErrors = [
  'blocked',
  'dns_error',
  'connect_error',
  'tls_error',
  'protocol_error',
  'timeout',
  'too_large',
] as const
export type OutboundError = (typeof outboundErrors)[number]

/** Carries the kind through undici and nodemailer; the cause stays inside this package. */
export class OutboundFailure extends Error {
  readonly kind: OutboundError

  constructor(kind: OutboundError, cause?: unknown) {
    super(kind, { cause })
    this.name = 'OutboundFailure'
    this.kind = kind
  }
}

/** The kind of an error that came from the far end once a connection stood. */
export const kindOf = (error: unknown): OutboundError => {
  if (error instanceof OutboundFailure) return error.kind
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown }
  if (cause instanceof OutboundFailure) return cause.kind
  return (typeof code === 'string' && kinds[code]) || 'protocol_error'
}

const kinds: Record<string, OutboundError> = {
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  HPE_HEADER_OVERFLOW: 'too_large',
}
