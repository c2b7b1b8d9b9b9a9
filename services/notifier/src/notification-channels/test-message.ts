/** Test messages: sent immediately by the real sender, without filters and limits, and logged. */
import {
  type AttemptOutcome,
  type ChannelTest,
  type ChannelTestError,
  channelTestErrors,
  invalid,
  orNotFound,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { type Call, textFormats } from '@status-page/service'
import { loadBranding, type MessageBranding } from '../audiences/pages.ts'
import type { DecryptedChannel, OutgoingMessage, Senders } from '../channels/channel.ts'
import { ENDPOINT_PLACEHOLDER } from '../channels/channel.ts'
import { channels } from '../channels/index.ts'
import { renderContent } from '../channels/render.ts'
import { decryptChannel } from '../channels/secrets.ts'
import type { SendResult } from '../channels/send-result.ts'
import { channelTransportName, resetTransport } from '../channels/shared-transports.ts'
import { readerLanguage } from '../messages/reader-language.ts'
import { TEST_EVENT, testEvent } from '../messages/sample.ts'
import { testDestination } from './destinations.ts'
import * as store from './store.ts'

interface TestMessageDeps {
  sealer: Sealer
  senders: Senders
  baseUrl: string
}

type TestCall = Pick<Call, 'read' | 'change'> & {
  params: { id: string }
  body: { recipient?: string }
}

export const sendTestMessage = async (
  deps: TestMessageDeps,
  call: TestCall,
): Promise<ChannelTest> => {
  const { channel, branding } = await call.read(async (scope) => {
    const found = orNotFound(await store.findChannel(scope, call.params.id))
    return {
      channel: decryptChannel(deps.sealer, found.row),
      branding: await loadBranding(scope, call.params.id),
    }
  })
  const message = messageOf(deps, channel, recipientOf(channel, call.body.recipient), branding)
  const startedAt = new Date()
  const sendResult = await deps.senders[channel.type].send(message)
  const durationMs = Date.now() - startedAt.getTime()
  await call.change((scope) =>
    recordTest(scope, channel, message, { sendResult, startedAt, durationMs }),
  )
  return answerOf(message, sendResult, durationMs)
}

const messageOf = (
  { baseUrl }: TestMessageDeps,
  channel: DecryptedChannel,
  address: string,
  branding: MessageBranding,
): OutgoingMessage => {
  const eventId = newId()
  const senderName = branding.organizationName ?? 'Status'
  const language = readerLanguage(branding.locale, branding.timezone)
  const event = testEvent({ id: eventId, channelName: channel.name }, new Date(), language)
  const context = {
    baseUrl,
    senderName,
    appearance: branding.appearance,
    language,
    coveredUpdates: 0,
    sequence: 1,
    reader: { kind: 'channel', channelName: channel.name },
    messageTemplate: channel.messageTemplate,
  } as const
  return {
    deliveryId: newId(),
    eventId,
    sequence: 1,
    attempt: 1,
    address,
    senderName,
    channel,
    secret: null,
    previousSecret: null,
    ...renderContent(channel.type, { event, context, config: channel.config }),
  }
}

const recipientOf = ({ type, config }: DecryptedChannel, given: string | undefined): string => {
  const format = textFormats[channels[type].recipientFormat ?? '']
  if (format === undefined) return ENDPOINT_PLACEHOLDER
  const recipient = given ?? ('recipients' in config ? config.recipients[0] : undefined)
  if (recipient === undefined) {
    throw invalid({ field: 'recipient', message: 'recipient is required: the channel has none' })
  }
  if (!format.accepts(recipient)) {
    throw invalid({ field: 'recipient', message: `recipient must be ${format.expectation}` })
  }
  return format.canonical?.(recipient) ?? recipient
}

interface TestAttempt {
  sendResult: SendResult
  startedAt: Date
  durationMs: number
}

const recordTest = async (
  scope: Scope,
  channel: DecryptedChannel,
  { deliveryId, eventId, address }: OutgoingMessage,
  { sendResult, startedAt, durationMs }: TestAttempt,
) => {
  const unrecorded = { result: undefined }
  const row = await store.lockChannel(scope, channel.id)
  if (row === undefined) return unrecorded
  const outcome = outcomeOf(sendResult)
  const isDelivered = outcome === 'delivered'
  const destinationId = await testDestination(scope, row, address)
  const { statusCode, detail: error } = responseIn(sendResult)
  await store.insertTestDelivery(scope, {
    deliveryId,
    eventId,
    destinationId,
    type: channel.type,
    kind: TEST_EVENT,
    payload: {},
    state: isDelivered ? 'delivered' : 'exhausted',
    attempt: { startedAt, durationMs: Math.round(durationMs), outcome, statusCode, error },
  })
  await store.recordLastDelivery(scope, channel.id, outcome)
  // The transport works, so waiting deliveries need not wait longer.
  if (isDelivered) await resetTransport(scope, channelTransportName(channel.id))
  return unrecorded
}

const outcomeOf = (sendResult: SendResult): AttemptOutcome =>
  sendResult.class === 'delivered' || sendResult.class === 'blocked'
    ? sendResult.class
    : sendResult.outcome

const responseIn = (sendResult: SendResult) => ({
  statusCode: 'statusCode' in sendResult ? sendResult.statusCode : null,
  detail: ('detail' in sendResult && sendResult.detail) || null,
})

const answerOf = (
  { deliveryId }: OutgoingMessage,
  sendResult: SendResult,
  responseTime: number,
): ChannelTest => {
  const outcome = outcomeOf(sendResult)
  const { statusCode, detail: message } = responseIn(sendResult)
  return {
    success: outcome === 'delivered',
    deliveryId,
    statusCode,
    responseTime,
    message,
    error: outcome === 'delivered' ? null : errorOf(outcome),
  }
}

/** Error of the API for an outcome; a connection lost late is also a connection error. */
const errorOf = (outcome: AttemptOutcome): ChannelTestError =>
  channelTestErrors.find((error) => error === outcome) ?? 'connect_error'
