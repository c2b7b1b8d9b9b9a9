/** Outcomes of one attempt to send a message. */

export const attemptOutcomes = [
  'delivered',
  'blocked',
  'dns_error',
  'connect_error',
  'tls_error',
  'protocol_error',
  'timeout',
  'auth_failed',
  'rejected',
  'rate_limited',
  'unknown',
] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]
