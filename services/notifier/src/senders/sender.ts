/** A sender carries one message to one destination and says what came of it, in the outcome tables' terms. */
import type { ChannelConfigs, ChannelType } from '@status-page/contracts'
import type { SendResult } from '../deliveries/rules.ts'
import type { MailContent } from '../messages/mail.ts'
import type { DestinationType } from '../tables.ts'

/** A channel with its secrets opened: it lives as long as one message. */
export type OpenChannel<Kind extends ChannelType = ChannelType> = {
  [K in Kind]: {
    id: string
    organizationId: string
    name: string
    type: K
    config: ChannelConfigs[K]
    messageTemplate: string | null
  }
}[Kind]

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
  /** That it goes through; null: the operator's way, or none is needed. */
  channel: OpenChannel | null
  /** Of a mail. */
  mail: MailContent | null
  /** Of a text message. */
  text: string | null
  /** Exact bytes of a webhook or chat message; those of a webhook are the same on every attempt. */
  body: Buffer | null
  /** Signs a webhook; opened. */
  secret: string | null
  /** In rotation the old one, which signs along. */
  previousSecret: string | null
}

export type Send = (message: Message) => Promise<SendResult>

export interface Sender {
  send: Send
  /** False: there is no way out for it, so its deliveries wait. */
  hasTransport(channel: OpenChannel | null): boolean
}

export type Senders = Record<DestinationType, Sender>

/** The channel as the kind that its sender is for; another kind there is a fault of ours. */
export const channelOf = <Kind extends ChannelType>(
  { channel }: Message,
  kind: Kind,
): OpenChannel<Kind> | null => {
  if (channel === null) return null
  if (channel.type !== kind) throw new Error(`a ${kind} message through a ${channel.type} channel`)
  return channel as OpenChannel<Kind>
}

export const requireChannel = <Kind extends ChannelType>(
  message: Message,
  kind: Kind,
): OpenChannel<Kind> => {
  const channel = channelOf(message, kind)
  if (channel === null) throw new Error(`a ${kind} message without its channel`)
  return channel
}
