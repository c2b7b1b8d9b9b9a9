/** A test message: at once, by the real sender, past all filters and limits; the log keeps it. */
import {
  type AttemptOutcome,
  type ChannelTest,
  type ChannelTestError,
  type ChannelType,
  channelTestErrors,
  invalid,
  notFound,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { type Call, formats } from '@status-page/service'
import { type Letterhead, letterheadOf } from '../audiences/pages.ts'
import type { SendResult } from '../deliveries/rules.ts'
import { addAttempt } from '../deliveries/store.ts'
import { forgetTransport, transportOf } from '../deliveries/transports.ts'
import { languages } from '../messages/language.ts'
import { contentOf } from '../messages/render.ts'
import { TEST_EVENT, testOf } from '../messages/sample.ts'
import type { Message, OpenChannel, Senders } from '../senders/sender.ts'
import { ENDPOINT, trialDestination } from './destinations.ts'
import { openChannel } from './secrets.ts'
import * as store from './store.ts'

interface TrialDeps {
  sealer: Sealer
  senders: Senders
  baseUrl: string
}

type TestCall = Pick<Call, 'read' | 'change'> & {
  params: { id: string }
  body: { recipient?: string }
}

export const sendTrial = async (deps: TrialDeps, call: TestCall): Promise<ChannelTest> => {
  const { channel, head } = await call.read(async (scope) => {
    const found = await store.findChannel(scope, call.params.id)
    if (found === undefined) throw notFound()
    return {
      channel: openChannel(deps.sealer, found.row),
      head: await letterheadOf(scope, call.params.id),
    }
  })
  const message = messageOf(deps, channel, recipientOf(channel, call.body.recipient), head)
  const startedAt = new Date()
  const verdict = await deps.senders[channel.type].send(message)
  const durationMs = Date.now() - startedAt.getTime()
  await call.change((scope) => keep(scope, channel, message, { verdict, startedAt, durationMs }))
  return answerOf(message, verdict, durationMs)
}

const messageOf = (
  { baseUrl }: TrialDeps,
  channel: OpenChannel,
  address: string,
  head: Letterhead,
): Message => {
  const eventId = newId()
  const organizationName = head.organizationName ?? 'Status'
  const language = languages[head.locale]
  const told = testOf({ id: eventId, channelName: channel.name }, new Date(), language)
  const context = {
    baseUrl,
    organizationName,
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
    organizationName,
    channel,
    secret: null,
    previousSecret: null,
    ...contentOf(channel.type, { told, context, channel }),
  }
}

const addressFormats: Partial<Record<ChannelType, keyof typeof formats>> = {
  email: 'mailbox',
  sms: 'phone',
}

const recipientOf = ({ type, config }: OpenChannel, given: string | undefined): string => {
  const format = formats[addressFormats[type] ?? '']
  if (format === undefined) return ENDPOINT
  const recipient = given ?? ('recipients' in config ? config.recipients[0] : undefined)
  if (recipient === undefined) {
    throw invalid({ field: 'recipient', message: 'recipient is required: the channel has none' })
  }
  if (!format.accepts(recipient)) {
    throw invalid({ field: 'recipient', message: `recipient must be ${format.expectation}` })
  }
  return format.canonical?.(recipient) ?? recipient
}

interface Tried {
  verdict: SendResult
  startedAt: Date
  durationMs: number
}

const keep = async (
  scope: Scope,
  channel: OpenChannel,
  { deliveryId, eventId, address }: Message,
  { verdict, startedAt, durationMs }: Tried,
) => {
  const nothingElse = { result: undefined, events: [], audit: [] }
  const row = await store.lockChannel(scope, channel.id)
  if (row === undefined) return nothingElse
  const outcome = outcomeOf(verdict)
  const isDelivered = outcome === 'delivered'
  const destinationId = await trialDestination(scope, row, address)
  await store.insertTrial(scope, {
    deliveryId,
    eventId,
    destinationId,
    kind: TEST_EVENT,
    payload: {},
    state: isDelivered ? 'delivered' : 'exhausted',
  })
  const { statusCode, detail: error } = saidIn(verdict)
  await addAttempt(scope, deliveryId, 1, { startedAt, durationMs, outcome, statusCode, error })
  await store.noteDelivery(scope, channel.id, outcome)
  // What waited for this way out need not wait any longer.
  if (isDelivered) await forgetTransport(scope, transportOf(channel.id))
  return nothingElse
}

const outcomeOf = (verdict: SendResult): AttemptOutcome =>
  verdict.class === 'delivered' || verdict.class === 'blocked' ? verdict.class : verdict.outcome

const saidIn = (verdict: SendResult) => ({
  statusCode: 'statusCode' in verdict ? verdict.statusCode : null,
  detail: ('detail' in verdict && verdict.detail) || null,
})

const answerOf = (
  { deliveryId }: Message,
  verdict: SendResult,
  responseTime: number,
): ChannelTest => {
  const outcome = outcomeOf(verdict)
  const { statusCode, detail: message } = saidIn(verdict)
  return {
    success: outcome === 'delivered',
    deliveryId,
    statusCode,
    responseTime,
    message,
    error: outcome === 'delivered' ? null : errorOf(outcome),
  }
}

/** A connection that was lost at the end is, to who asks, one that was lost. */
const errorOf = (outcome: AttemptOutcome): ChannelTestError =>
  channelTestErrors.find((error) => error === outcome) ?? 'connect_error'
