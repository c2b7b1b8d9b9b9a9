/**
 * Recognizes confirmation requests among the deliveries; they are sent to destinations that are not
 * active.
 */
import { type ConfirmationRequested, subscriberConfirmationRequested } from '@status-page/contracts'

export const isConfirmation = <Event extends { kind: string; payload: unknown }>(
  event: Event,
): event is Event & { payload: ConfirmationRequested } =>
  event.kind === subscriberConfirmationRequested.kind
