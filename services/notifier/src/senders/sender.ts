/** A sender carries one message to one destination and says what came of it, in the outcome tables' terms. */

import type { Verdict } from '../deliveries/rules.ts'
import type { Told } from '../messages/webhook-body.ts'
import type { DestinationType } from '../tables.ts'

export interface Message {
  deliveryId: string
  eventId: string
  /** Version of the aggregate. */
  sequence: number
  /** 1 for the first. */
  attempt: number
  told: Told
  address: string
  /** Exact bytes of a webhook; the same on every attempt. */
  body: Buffer | null
  /** Signs a webhook; opened. */
  secret: string | null
  organizationName: string
  /** Opened token of the manage and unsubscribe links. */
  manageToken: string | null
  coveredUpdates: number
}

export type Send = (message: Message) => Promise<Verdict>

/** Null: there is no way out for this kind, so its deliveries wait. */
export type Senders = Record<DestinationType, Send | null>
