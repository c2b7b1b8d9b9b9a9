/**
 * Interface of senders: a sender transmits one message to one destination and classifies the
 * result.
 */
import type { ChannelConfigs, ChannelType } from '@status-page/contracts'
import type { SendResult } from '../deliveries/rules.ts'
import type { MailContent } from '../messages/mail.ts'
import type { DestinationType } from '../tables.ts'

/** Channel with decrypted secrets, held for the duration of one message. */
export type DecryptedChannel<Kind extends ChannelType = ChannelType> = {
  [K in Kind]: {
    id: string
    organizationId: string
    name: string
    type: K
    config: ChannelConfigs[K]
    messageTemplate: string | null
  }
}[Kind]

export interface OutgoingMessage {
  deliveryId: string
  eventId: string
  /** Version of the aggregate. */
  sequence: number
  /** Number of the attempt; 1 for the first. */
  attempt: number
  address: string
  /** Sender's name of a mail. */
  senderName: string
  /**
   * Channel that transports the message; null for the operator's transport or where none is needed.
   */
  channel: DecryptedChannel | null
  /** Content of a mail. */
  mail: MailContent | null
  /** Content of a text message. */
  text: string | null
  /** Exact bytes of a webhook or chat message; those of a webhook are the same on every attempt. */
  body: Buffer | null
  /** Decrypted signing secret of a webhook. */
  secret: string | null
  /** Former signing secret, which also signs during a rotation. */
  previousSecret: string | null
}

export type SendMessage = (message: OutgoingMessage) => Promise<SendResult>

export interface Sender {
  send: SendMessage
  /** False when no transport is available; deliveries wait. */
  hasTransport(channel: DecryptedChannel | null): boolean
}

export type Senders = Record<DestinationType, Sender>

/** Returns the channel as the sender's type; throws for another type. */
export const channelOfType = <Kind extends ChannelType>(
  { channel }: OutgoingMessage,
  kind: Kind,
): DecryptedChannel<Kind> | null => {
  if (channel === null) return null
  if (channel.type !== kind) throw new Error(`a ${kind} message through a ${channel.type} channel`)
  return channel as DecryptedChannel<Kind>
}

export const requireChannel = <Kind extends ChannelType>(
  message: OutgoingMessage,
  kind: Kind,
): DecryptedChannel<Kind> => {
  const channel = channelOfType(message, kind)
  if (channel === null) throw new Error(`The ${kind} message has no ${kind} channel to send it`)
  return channel
}
