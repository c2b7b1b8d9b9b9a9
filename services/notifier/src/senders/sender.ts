/** A sender carries one message to one destination and says what came of it, in the outcome tables' terms. */

import type { Verdict } from '../deliveries/rules.ts'
import type { MailContent } from '../messages/mail.ts'
import type { DestinationType } from '../tables.ts'

export interface Message {
  deliveryId: string
  eventId: string
  /** Version of the aggregate. */
  sequence: number
  /** 1 for the first. */
  attempt: number
  address: string
  /** Name that a mail comes from. */
  organizationName: string
  /** Of a mail. */
  mail: MailContent | null
  /** Exact bytes of a webhook; the same on every attempt. */
  body: Buffer | null
  /** Signs a webhook; opened. */
  secret: string | null
  /** In rotation the old one, which signs along. */
  previousSecret: string | null
}

export type Send = (message: Message) => Promise<Verdict>

/** Null: there is no way out for this kind, so its deliveries wait. */
export type Senders = Record<DestinationType, Send | null>
