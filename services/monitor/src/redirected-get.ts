/**
 * GET of a public document of another organization. Follows redirects; the outbound client
 * validates the address of each one.
 */
import type { Outbound, OutboundResult, OutboundSuccess } from '@status-page/outbound'

export type GetResult = OutboundResult | { ok: false; error: 'too_many_redirects' }

export interface GetOptions {
  headers: Readonly<Record<string, string>>
  /** Deadline of each request. */
  timeoutMs: number
  /** A longer body is the failure `too_large`. */
  maxBodyBytes: number
}

const MAX_REDIRECTS = 3
const USER_AGENT = 'status-page-service'

export const getWithRedirects = async (
  outbound: Pick<Outbound, 'request'>,
  url: string,
  { headers, ...limits }: GetOptions,
): Promise<GetResult> => {
  let next = url
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await outbound.request({
      ...limits,
      url: next,
      method: 'GET',
      headers: { ...headers, 'user-agent': USER_AGENT },
      onOverflow: 'fail',
    })
    const location = response.ok ? redirectOf(response, next) : null
    if (location === null) return response
    next = location
  }
  return { ok: false, error: 'too_many_redirects' }
}

const redirectOf = ({ status, headers }: OutboundSuccess, base: string): string | null => {
  const { location } = headers
  const isRedirect = status >= 300 && status < 400 && location !== undefined
  return isRedirect && URL.canParse(location, base) ? new URL(location, base).href : null
}
