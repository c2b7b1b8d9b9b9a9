/**
 * Twilio client over the outbound client: the library's own HTTP stack, which follows redirects, is
 * not used.
 */
import type { OutboundError } from '@status-page/contracts'
import type { Twilio } from 'twilio'
import type RequestClient from 'twilio/lib/base/RequestClient.js'
import type { Outbound } from './outbound.ts'
import { type OutboundMethod, outboundMethods } from './request.ts'

export interface SmsAccount {
  accountSid: string
  authToken: string
}

/** Error without a response: whether the provider accepted the message is unknown. */
export class SmsUnreachable extends Error {
  readonly error: OutboundError

  constructor(error: OutboundError) {
    super(`The SMS provider did not respond (${error})`)
    this.name = 'SmsUnreachable'
    this.error = error
  }
}

const ACCOUNT_SID = /^AC[0-9a-f]{32}$/
const API_ORIGIN = 'https://api.twilio.com'
const TIMEOUT_MS = 15_000
const MAX_RESPONSE_BYTES = 256 * 1024
const POOL = 'sms'

/** Loads the library on first use: it takes about 35 MB, which a process without SMS saves. */
export const createSmsClient = async (
  outbound: Outbound,
  account: SmsAccount,
  origin: string = API_ORIGIN,
): Promise<Twilio> => {
  if (!ACCOUNT_SID.test(account.accountSid)) throw new TypeError('accountSid has the wrong form')
  const { default: twilio } = await import('twilio')
  return twilio(account.accountSid, account.authToken, {
    accountSid: account.accountSid,
    httpClient: httpClient(outbound, origin) as unknown as RequestClient,
  })
}

interface TwilioRequest {
  method: string
  uri: string
  username?: string
  password?: string
  headers?: Record<string, string>
  params?: Record<string, unknown>
  data?: Record<string, unknown>
}

/** The one method of `httpClient` that Twilio's client uses. */
const httpClient = (outbound: Outbound, origin: string) => ({
  async request(request: TwilioRequest) {
    const response = await outbound.request({
      url: urlOf(request, origin),
      method: methodOf(request.method),
      headers: headersOf(request),
      body: request.data === undefined ? null : form(request.data).toString(),
      timeoutMs: TIMEOUT_MS,
      maxBodyBytes: MAX_RESPONSE_BYTES,
      onOverflow: 'fail',
      pool: POOL,
    })
    if (!response.ok) throw new SmsUnreachable(response.error)
    const { status: statusCode, headers } = response
    return { statusCode, body: parseObject(response.body), headers }
  },
})

/** Replaces the host, which the library derives from region and environment, and keeps the path. */
const urlOf = (request: TwilioRequest, origin: string): string => {
  const { pathname, search } = new URL(request.uri)
  const url = new URL(`${pathname}${search}`, origin)
  for (const [name, value] of form(request.params ?? {})) url.searchParams.append(name, value)
  return url.href
}

const methodOf = (text: string): OutboundMethod => {
  const method = outboundMethods.find((candidate) => candidate === text.toUpperCase())
  if (method === undefined) throw new TypeError(`Unknown request method: ${text}`)
  return method
}

/** Headers in lower case, because another spelling would be sent as a second header. */
const headersOf = (request: TwilioRequest): Record<string, string> => {
  const { username, password, headers = {} } = request
  const login = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64')
  return {
    ...Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    authorization: `Basic ${login}`,
  }
}

const form = (fields: Record<string, unknown>): URLSearchParams => {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((item): [string, string] => [name, String(item)]),
  )
  return new URLSearchParams(pairs.filter(([, value]) => value !== 'undefined'))
}

/** Always an object: the library parses text itself and loses the status when that fails. */
const parseObject = (body: Buffer): object => {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
