/**
 * Client for the APIs of Git providers over the outbound policy. Errors carry a status only, never
 * the provider's text.
 */
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

/** Error status of a provider's API, without the provider's text. */
export class ProviderApiError extends Error {
  readonly status: number

  constructor(status: number) {
    super(`The provider's API answered with ${status}`)
    this.name = 'ApiRefusal'
    this.status = status
  }
}

/** Returns the JSON of a success; throws ProviderApiError or GitFailure. */
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

/**
 * Returns the value if it is an http(s) URL, since users will see it as a link; otherwise throws.
 */
export const requireWebUrl = (value: unknown, status = 200): string => {
  const isLink = typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)
  if (!isLink) throw new ProviderApiError(status)
  return value
}

export const toQueryString = (values: Record<string, string>): string =>
  new URLSearchParams(values).toString()

/** Origin with any non-default port. */
export const originOf = ({ url }: { url: string }): string => new URL(url).origin
