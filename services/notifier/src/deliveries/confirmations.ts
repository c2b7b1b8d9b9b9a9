/** Questions among the deliveries: what they ask is not news, and they go to who is not active. */
import { type ConfirmationRequested, subscriberConfirmationRequested } from '@status-page/contracts'

export const isConfirmation = <Event extends { kind: string; payload: unknown }>(
  event: Event,
): event is Event & { payload: ConfirmationRequested } =>
  event.kind === subscriberConfirmationRequested.kind
