/** Text messages by Twilio; after an unknown outcome what was taken is looked for before it is sent again. */
import type { AttemptOutcome } from '@status-page/contracts'
import { type Outbound, SmsUnreachable, smsClient } from '@status-page/outbound'
import type { SendResult } from '../deliveries/rules.ts'
import type { EndReason } from '../tables.ts'
import { type Message, ownChannelOf, type Sender } from './sender.ts'

/** Four hours: later nobody needs to know. */
const VALIDITY_SECONDS = 14_400
const MAX_LISTED = 20
const DAY_MS = 24 * 60 * 60 * 1000
const SERVER_ERROR = 500
const UNAUTHORIZED = 401
const TOO_MANY = 429

export interface SmsSettings {
  baseUrl: string
  /** Null: Twilio's own. */
  apiUrl: string | null
}

type Client = Awaited<ReturnType<typeof smsClient>>

export const smsSender = (outbound: Outbound, settings: SmsSettings): Sender => ({
  hasTransport: (channel) => channel?.type === 'sms',
  async send(message) {
    const { config } = ownChannelOf(message, 'sms')
    try {
      const client = await smsClient(outbound, config, settings.apiUrl ?? undefined)
      const sid = (await adopted(client, message)) ?? (await created(client, message, settings))
      // Junk behind a good status may or may not have been taken: the next attempt looks for it.
      if (sid === null) return { class: 'transport', outcome: 'protocol_error', statusCode: null }
      return { class: 'delivered', statusCode: null, providerId: sid }
    } catch (error) {
      return smsVerdict(error)
    }
  },
})

/** Twilio knows no idempotency key. A first attempt has no past to look into. */
const adopted = async (client: Client, message: Message): Promise<string | null> => {
  if (message.attempt === 1) return null
  const { config } = ownChannelOf(message, 'sms')
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

const created = async (
  client: Client,
  message: Message,
  { baseUrl }: SmsSettings,
): Promise<string | null> => {
  const { id, config } = ownChannelOf(message, 'sms')
  const { sid } = await client.messages.create({
    to: message.address,
    from: config.fromNumber,
    body: textOf(message),
    statusCallback: `${baseUrl}/api/v1/hooks/sms-status/${id}`,
    validityPeriod: VALIDITY_SECONDS,
  })
  return sid ?? null
}

const textOf = ({ text }: Message): string => {
  if (text === null) throw new Error('a text message without a text')
  return text
}

export const smsVerdict = (error: unknown): SendResult => {
  if (error instanceof SmsUnreachable) {
    if (error.error === 'blocked') return { class: 'blocked' }
    const outcome = error.error === 'too_large' ? 'protocol_error' : error.error
    return { class: 'transport', outcome, statusCode: null }
  }
  const { code, status } = error as { code?: unknown; status?: unknown }
  if (typeof status !== 'number') throw error
  return verdictOfCode(typeof code === 'number' ? code : null, status)
}

/** The outcome table of Twilio's codes, in answers and in delivery reports. */
export const verdictOfCode = (code: number | null, statusCode: number | null): SendResult => {
  const said = { statusCode, ...(code === null ? {} : { detail: String(code) }) }
  const known = code === null ? undefined : codes[code]
  if (known !== undefined) return { ...known, ...said } as SendResult
  if (statusCode === UNAUTHORIZED) return { class: 'transport', outcome: 'auth_failed', ...said }
  if (statusCode === TOO_MANY) return { class: 'transport', outcome: 'rate_limited', ...said }
  return statusCode !== null && statusCode < SERVER_ERROR
    ? { class: 'event', outcome: 'rejected', ...said }
    : { class: 'transport', outcome: 'rejected', ...said }
}

const gone = (end: EndReason) => ({ class: 'gone', outcome: 'rejected', end }) as const
const account = { class: 'transport', outcome: 'auth_failed' } as const
const later = (outcome: AttemptOutcome) => ({ class: 'mail', outcome }) as const

const codes: Readonly<Record<number, object>> = {
  21610: gone('sms_stop'),
  21211: gone('invalid_number'),
  21614: gone('invalid_number'),
  30005: gone('invalid_number'),
  30006: gone('invalid_number'),
  30003: { ...later('rejected'), soft: 'unreachable' },
  20003: account,
  21408: account,
  30007: account,
  30034: account,
  20429: { class: 'transport', outcome: 'rate_limited' },
  21611: later('rate_limited'),
  30001: later('rate_limited'),
}
