/** Result of a send, as the outcome tables of the channels classify it. */
import type { AttemptOutcome, SubscriberStatusReason } from '@status-page/contracts'
import type { SuppressionReason } from '../tables.ts'

export type SendResult =
  /** `providerId` identifies the message in delivery reports. */
  | { class: 'delivered'; statusCode: number | null; providerId?: string }
  /** The receiver fails regardless of the payload: the destination is blocked. */
  | ({ class: 'endpoint'; retryAfterMs?: number } & ResponseDetails)
  /** The receiver refuses this payload: only this delivery is retried. */
  | ({ class: 'event' } & ResponseDetails)
  /**
   * The mail server defers this message: only this delivery is retried. `soft` counts as a soft
   * bounce.
   */
  | ({ class: 'mail'; soft?: SoftBounceReason } & ResponseDetails)
  /** The transport fails: all of its deliveries are blocked. */
  | ({ class: 'transport' } & ResponseDetails)
  /** The destination no longer exists. */
  | ({ class: 'gone'; suppressionReason: SuppressionReason } & ResponseDetails)
  /** The outbound policy forbids the address. */
  | { class: 'blocked' }

/** Details of the response that may be shown. */
export interface ResponseDetails {
  outcome: AttemptOutcome
  statusCode: number | null
  /** One of the provider's known codes, never free text. */
  detail?: string
}

export type SoftBounceReason = Extract<SubscriberStatusReason, 'mailbox_full' | 'unreachable'>
