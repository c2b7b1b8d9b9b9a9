/** Asking a provider's API through the one door. Its words stay there: a status is all that is told of a failure. */
import type { Outbound, OutboundMethod } from '@status-page/outbound'
import { failureOfOutbound } from '../git/failure.ts'

const TIMEOUT_MS = 15_000
const MAX_REPLY_BYTES = 1024 * 1024
const USER_AGENT = 'status-page-service'

export interface ProviderApiRequest {
  method: OutboundMethod
  url: string
  headers: Record<string, string>
  body?: unknown
}

/** Carries the status, and nothing of what the provider wrote. */
export class ProviderApiError extends Error {
  readonly status: number

  constructor(status: number) {
    super(`The provider's API answered with ${status}`)
    this.name = 'ApiRefusal'
    this.status = status
  }
}

/** The JSON of a success; ApiRefusal or GitFailure for everything else. */
export const callProviderApi = async (
  outbound: Outbound,
  request: ProviderApiRequest,
): Promise<unknown> => {
  const { method, url, headers, body } = request
  const response = await outbound.request({
    method,
    url,
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_REPLY_BYTES,
    onOverflow: 'fail',
    headers: {
      accept: 'application/json',
      'user-agent': USER_AGENT,
      ...headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw failureOfOutbound(response.error)
  if (response.status < 200 || response.status > 299) throw new ProviderApiError(response.status)
  return parseJson(response.body, response.status)
}

const parseJson = (body: Buffer, status: number): unknown => {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new ProviderApiError(status)
  }
}

/** A link that people will be shown is one of the web, or none. */
export const requireWebUrl = (value: unknown, status = 200): string => {
  const isLink = typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)
  if (!isLink) throw new ProviderApiError(status)
  return value
}

export const queryOf = (values: Record<string, string>): string =>
  new URLSearchParams(values).toString()

/** With the port, where it is not the usual one. */
export const originOf = ({ url }: { url: string }): string => new URL(url).origin
