/** Check immediately before a send: send, or end the delivery with a reason. */
import type { DeliveryReason, DeliveryState } from '@status-page/contracts'
import type { DestinationState } from '../../tables.ts'

/** Result of the check immediately before a send. */
export type SendDecision =
  | 'send'
  | Extract<DeliveryReason, 'unsubscribed' | 'disabled' | 'deleted' | 'muted' | 'expired'>

export const decideSend = (
  { delivery, destination, isSubjectDeleted, isMuted, isConfirmation, isOptedOut }: SendConditions,
  now: Date,
): SendDecision => {
  if (destination.state === 'deleted' || isSubjectDeleted) return 'deleted'
  if (isOptedOut) return 'unsubscribed'
  if (isConfirmation) return delivery.expiresAt <= now ? 'expired' : 'send'
  if (destination.state === 'unsubscribed' || destination.state === 'unconfirmed')
    return 'unsubscribed'
  if (destination.state === 'quarantined' || destination.state === 'disabled') return 'disabled'
  if (delivery.expiresAt <= now) return 'expired'
  return isMuted ? 'muted' : 'send'
}

interface SendConditions {
  delivery: { expiresAt: Date }
  destination: { state: DestinationState }
  /** The subject of the delivery was deleted since. */
  isSubjectDeleted: boolean
  /** Every affected component is muted. */
  isMuted: boolean
  /** True for a confirmation request, which is also sent to a destination that is not active. */
  isConfirmation: boolean
  /** The number replied STOP to the channel that would transport the message. */
  isOptedOut: boolean
}

/** Final state for each decision that forbids sending. */
export const finalStateByDecision: Record<Exclude<SendDecision, 'send'>, DeliveryState> = {
  unsubscribed: 'cancelled',
  disabled: 'cancelled',
  deleted: 'cancelled',
  muted: 'suppressed',
  expired: 'exhausted',
}
