/** Failures of outbound requests: the closed sets that tenants may see, never a raw error. */

/** Failures of a request without a response. */
export const connectionErrors = [
  'blocked',
  'dns_error',
  'connect_error',
  'tls_error',
  'protocol_error',
  'timeout',
] as const

export const outboundErrors = [...connectionErrors, 'too_large'] as const
export type OutboundError = (typeof outboundErrors)[number]
