/** Outcomes of one attempt to send a message. */
import { connectionErrors } from '../outbound-errors.ts'

export const attemptOutcomes = [
  'delivered',
  ...connectionErrors,
  'auth_failed',
  'rejected',
  'rate_limited',
  'unknown',
] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]
