/**
 * Text messages through Twilio; after an unknown outcome the sender searches for the accepted
 * message before it sends again.
 */
import { type AttemptOutcome, channelSecrets } from '@status-page/contracts'
import { createSmsClient, type Outbound, SmsUnreachable } from '@status-page/outbound'
import { confirmationText } from '../messages/confirmation.ts'
import { eventText } from '../messages/sms-text.ts'
import type { SuppressionReason } from '../tables.ts'
import {
  type ChannelKind,
  HOUR_MS,
  type OutgoingMessage,
  requireChannel,
  type Sender,
} from './channel.ts'
import type { SendResult } from './send-result.ts'

const LIFETIME_MS = 4 * HOUR_MS
const SHOWN_DIGITS = 4
const MAX_LISTED = 20
const DAY_MS = 24 * 60 * 60 * 1000
const SERVER_ERROR = 500
const UNAUTHORIZED = 401
const TOO_MANY = 429

export const sms: ChannelKind<'sms'> = {
  secrets: channelSecrets.sms,
  sentSecrets: null,
  targetOf: () => null,
  recipientFormat: 'phone',
  // Nothing sends without a channel, so the deliveries wait for one.
  operatorTransport: 'sms',
  worker: {
    name: 'sms',
    batch: 32,
    maxWaitMs: 20_000,
    queues: { maxInFlight: 32, maxPerHost: 10, maxSlow: 0, maxSlowPerHost: 0, slowAfterMs: 1_000 },
  },
  lifetimeMs: LIFETIME_MS,
  labelOf: (address) => `***${address.slice(-SHOWN_DIGITS)}`,
  render: ({ content, context }) => ({ text: eventText(content, context) }),
  renderConfirmation: (request, context) => ({ text: confirmationText(request, context) }),
  createSender: ({ outbound, settings: { BASE_URL: baseUrl, TWILIO_BASE_URL: apiUrl = null } }) =>
    smsSender(outbound, { baseUrl, apiUrl }),
}

export interface SmsSettings {
  baseUrl: string
  /** Base URL of the API; null for Twilio's own. */
  apiUrl: string | null
}

type Client = Awaited<ReturnType<typeof createSmsClient>>

export const smsSender = (outbound: Outbound, settings: SmsSettings): Sender => ({
  hasTransport: (channel) => channel?.type === 'sms',
  async send(message) {
    const { config } = requireChannel(message, 'sms')
    try {
      const client = await createSmsClient(outbound, config, settings.apiUrl ?? undefined)
      const sid = (await findSent(client, message)) ?? (await create(client, message, settings))
      // A message behind an unreadable success may have been accepted: the next attempt searches
      // for it.
      if (sid === null) return { class: 'transport', outcome: 'protocol_error', statusCode: null }
      return { class: 'delivered', statusCode: null, providerId: sid }
    } catch (error) {
      return smsResult(error)
    }
  },
})

/**
 * Returns the id of an already accepted message, because Twilio has no idempotency keys. A first
 * attempt has none.
 */
const findSent = async (client: Client, message: OutgoingMessage): Promise<string | null> => {
  if (message.attempt === 1) return null
  const { config } = requireChannel(message, 'sms')
  const listed = await client.messages.list({
    to: message.address,
    from: config.fromNumber,
    dateSentAfter: new Date(Date.now() - DAY_MS),
    limit: MAX_LISTED,
  })
  const same = listed.find(({ body, status }) => body === textOf(message) && !isLost.has(status))
  return same?.sid ?? null
}

const isLost: ReadonlySet<string> = new Set(['failed', 'undelivered', 'canceled'])

const create = async (
  client: Client,
  message: OutgoingMessage,
  { baseUrl }: SmsSettings,
): Promise<string | null> => {
  const { id, config } = requireChannel(message, 'sms')
  const { sid } = await client.messages.create({
    to: message.address,
    from: config.fromNumber,
    body: textOf(message),
    statusCallback: `${baseUrl}/api/v1/hooks/sms-status/${id}`,
    validityPeriod: LIFETIME_MS / 1000,
  })
  return sid ?? null
}

const textOf = ({ text }: OutgoingMessage): string => {
  if (text === null) throw new Error('a text message without a text')
  return text
}

export const smsResult = (error: unknown): SendResult => {
  if (error instanceof SmsUnreachable) {
    if (error.error === 'blocked') return { class: 'blocked' }
    const outcome = error.error === 'too_large' ? 'protocol_error' : error.error
    return { class: 'transport', outcome, statusCode: null }
  }
  const { code, status } = error as { code?: unknown; status?: unknown }
  if (typeof status !== 'number') throw error
  return smsResultOfCode(typeof code === 'number' ? code : null, status)
}

/** Outcome table of Twilio's codes, in responses and in delivery reports. */
export const smsResultOfCode = (code: number | null, statusCode: number | null): SendResult => {
  const details = { statusCode, ...(code === null ? {} : { detail: String(code) }) }
  const known = code === null ? undefined : codes[code]
  if (known !== undefined) return { ...known, ...details } as SendResult
  if (statusCode === UNAUTHORIZED) return { class: 'transport', outcome: 'auth_failed', ...details }
  if (statusCode === TOO_MANY) return { class: 'transport', outcome: 'rate_limited', ...details }
  return statusCode !== null && statusCode < SERVER_ERROR
    ? { class: 'event', outcome: 'rejected', ...details }
    : { class: 'transport', outcome: 'rejected', ...details }
}

const suppressed = (suppressionReason: SuppressionReason) =>
  ({ class: 'gone', outcome: 'rejected', suppressionReason }) as const
const accountFailure = { class: 'transport', outcome: 'auth_failed' } as const
const deferred = (outcome: AttemptOutcome) => ({ class: 'mail', outcome }) as const

const codes: Readonly<Record<number, object>> = {
  21610: suppressed('sms_stop'),
  21211: suppressed('invalid_number'),
  21614: suppressed('invalid_number'),
  30005: suppressed('invalid_number'),
  30006: suppressed('invalid_number'),
  30003: { ...deferred('rejected'), soft: 'unreachable' },
  20003: accountFailure,
  21408: accountFailure,
  30007: accountFailure,
  30034: accountFailure,
  20429: { class: 'transport', outcome: 'rate_limited' },
  21611: deferred('rate_limited'),
  30001: deferred('rate_limited'),
}
