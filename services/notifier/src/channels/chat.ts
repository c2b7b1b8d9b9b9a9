/**
 * Channels of chats: one POST to a webhook URL, which is a secret, with an outcome table per
 * product.
 */
import { type ChannelConfigs, type ChannelType, channelSecrets } from '@status-page/contracts'
import type { Outbound, OutboundResult } from '@status-page/outbound'
import type { MessageContext } from '../messages/context.ts'
import type { MessageContent } from '../messages/message-content.ts'
import {
  type ChannelKind,
  type DeliveryWorker,
  HOUR_MS,
  requireChannel,
  type Sender,
} from './channel.ts'
import { originLabelOf, resultWithoutResponse, retryAfterMsOf, sendRequest } from './http.ts'
import type { SendResult } from './send-result.ts'

/** Kinds whose settings contain the URL of a webhook. */
type ChatType = {
  [Kind in ChannelType]: ChannelConfigs[Kind] extends { webhookUrl: string } ? Kind : never
}[ChannelType]

export type ReceivedResponse = Extract<OutboundResult, { ok: true }>

export interface ChatProduct<Kind extends ChatType = ChatType> {
  type: Kind
  /** URL to which a message is posted; that of the settings by default. */
  urlOf?(webhookUrl: string): string
  /** True when the webhook will never work again. */
  isWebhookDeleted(response: ReceivedResponse): boolean
  /** Delay requested by a 429, in ms. */
  retryAfterMs(response: ReceivedResponse, now: Date): number | undefined
  /** Known error code in the response; null for any other text, which may repeat the message. */
  detailOf?(response: ReceivedResponse): string | null
  bodyOf(
    content: MessageContent,
    context: MessageContext,
    config: ChannelConfigs[Kind] | null,
  ): Buffer
}

const MAX_ERROR_BYTES = 64

const worker: DeliveryWorker = {
  name: 'chat',
  batch: 64,
  maxWaitMs: 5_000,
  queues: { maxInFlight: 32, maxPerHost: 8, maxSlow: 64, maxSlowPerHost: 16, slowAfterMs: 1_000 },
}

export const chatChannel = <Kind extends ChatType>(
  product: ChatProduct<Kind>,
): ChannelKind<Kind> => ({
  secrets: channelSecrets[product.type],
  sentSecrets: null,
  targetOf: ({ webhookUrl: url }) => ({ kind: 'url', field: 'webhookUrl', url }),
  recipientFormat: null,
  operatorTransport: null,
  worker,
  lifetimeMs: 24 * HOUR_MS,
  labelOf: originLabelOf,
  render: ({ content, context, config }) => ({ body: product.bodyOf(content, context, config) }),
  createSender: ({ outbound, userAgent }) => chatSender(outbound, product, userAgent),
})

export const errorCodeOf = ({ body }: ReceivedResponse): string =>
  body.subarray(0, MAX_ERROR_BYTES).toString().trim()

export const retryAfterHeaderMs = (response: ReceivedResponse, now: Date) =>
  retryAfterMsOf(response.headers['retry-after'], now)

export const chatSender = (
  outbound: Outbound,
  product: ChatProduct,
  userAgent: string,
): Sender => ({
  hasTransport: () => true,
  async send(message) {
    if (message.body === null) throw new Error('a chat message without a body')
    const { webhookUrl } = requireChannel(message, product.type).config
    const response = await sendRequest(outbound, {
      url: product.urlOf?.(webhookUrl) ?? webhookUrl,
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': userAgent },
      body: message.body,
      pool: product.type,
    })
    return chatResult(product, response, new Date())
  },
})

export const chatResult = (
  product: ChatProduct,
  response: OutboundResult,
  now: Date,
): SendResult => {
  if (!response.ok) return resultWithoutResponse(response)
  const { status: statusCode } = response
  if (statusCode >= 200 && statusCode < 300) return { class: 'delivered', statusCode }
  const detail = product.detailOf?.(response) ?? null
  const details = { statusCode, ...(detail === null ? {} : { detail }) }
  if (product.isWebhookDeleted(response)) {
    return { class: 'gone', outcome: 'rejected', suppressionReason: 'endpoint_gone', ...details }
  }
  if (statusCode === 400 || statusCode === 413) {
    return { class: 'event', outcome: 'rejected', ...details }
  }
  if (statusCode !== 429) return { class: 'endpoint', outcome: 'rejected', ...details }
  const retryAfterMs = product.retryAfterMs(response, now)
  return {
    class: 'endpoint',
    outcome: 'rate_limited',
    ...details,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}
