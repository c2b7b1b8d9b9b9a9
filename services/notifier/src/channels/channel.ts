/**
 * Interface of a channel kind: how its settings are validated, its messages rendered and sent, and
 * its destinations shown.
 */
import type { HostQueueLimits } from '@status-page/concurrency'
import type {
  ChannelConfigs,
  ChannelType,
  ConfirmationRequested,
  Issue,
} from '@status-page/contracts'
import type { Outbound } from '@status-page/outbound'
import type { ConfirmationContext } from '../messages/confirmation.ts'
import type { MessageContext } from '../messages/context.ts'
import type { MailContent } from '../messages/mail.ts'
import type { MessageContent } from '../messages/message-content.ts'
import type { WebhookEvent } from '../messages/webhook-body.ts'
import type { SendResult } from './send-result.ts'

export const HOUR_MS = 60 * 60 * 1000

/** Placeholder for the address, because a chat's endpoint is a secret of the channel. */
export const ENDPOINT_PLACEHOLDER = 'endpoint'

export interface ChannelKind<Kind extends ChannelType = ChannelType> {
  /** Encrypted fields of the settings; `headers.*` is each value of the map. */
  secrets: readonly string[]
  /** Fields that a change of the field `target` requires again, because they are sent there. */
  sentSecrets: { target: string; fields: readonly string[] } | null
  /** Address that the settings name, to be resolved before they are saved; null for none. */
  targetOf(config: ChannelConfigs[Kind]): ChannelTarget | null
  /** Issues of the settings that a schema cannot express; the fields are without prefix. */
  issuesOf?(config: ChannelConfigs[Kind]): Issue[]
  /** Format of a recipient's address; null for a kind with one endpoint. */
  recipientFormat: 'mailbox' | 'phone' | null
  /**
   * Name of the operator's transport, which sends without a channel; null where each destination
   * has a transport of its own. Channels of kinds with such a transport also send the messages to
   * subscribers.
   */
  operatorTransport: string | null
  worker: DeliveryWorker
  /** Maximum age of an event worth delivering. */
  lifetimeMs: number
  /** Recognizable form of an address that does not disclose it. */
  labelOf(address: string): string
  render(input: RenderInput<Kind>): Partial<RenderedContent>
  /** Confirmation request; absent for kinds without subscribers. */
  renderConfirmation?(
    request: ConfirmationRequested,
    context: ConfirmationContext,
  ): Partial<RenderedContent>
  createSender(context: SenderContext): Sender
}

export type ChannelTarget =
  | { kind: 'url'; field: string; url: string }
  | { kind: 'smtp'; fields: { host: string; port: string }; host: string; port: number }

/** Worker that sends the messages of one or several kinds. */
export interface DeliveryWorker {
  name: string
  /** Maximum number of claimed deliveries in one process, without the slow ones. */
  batch: number
  /**
   * Maximum wait for a slot at the host; then the delivery is released to its row, so that others
   * precede it. With the time limit of an attempt it is less than a lease.
   */
  maxWaitMs: number
  queues: HostQueueLimits
}

export interface RenderedContent {
  mail: MailContent | null
  text: string | null
  body: Buffer | null
}

export interface RenderInput<Kind extends ChannelType = ChannelType> {
  event: WebhookEvent
  content: MessageContent
  context: MessageContext
  /** True when the message is about one subject. */
  isSingleEvent: boolean
  /** Settings of the channel; null for a message to a subscriber without a channel. */
  config: ChannelConfigs[Kind] | null
}

export interface SenderContext {
  outbound: Outbound
  userAgent: string
  settings: SenderSettings
  logger: Record<'info' | 'error', (details: object, message: string) => void>
  meter: {
    /** Counts a failure of the mail server or provider account of a channel. */
    channelFailed(reason: string): void
  }
}

/** Settings of the service that senders read. */
export interface SenderSettings {
  BASE_URL: string
  MAIL_FROM?: string
  SMTP_URL?: string
  MAIL_DIR?: string
  DKIM_DOMAIN?: string
  DKIM_SELECTOR?: string
  DKIM_PRIVATE_KEY?: string
  TWILIO_BASE_URL?: string
}

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

export type Senders = Record<ChannelType, Sender>

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
