/** Headers of every response; an inner service may replace the policies for its pages. */

const HSTS_SECONDS = 31_536_000

export const edgeHeaders = (baseUrl: string): Readonly<Record<string, string>> => ({
  'content-security-policy': "default-src 'none'; sandbox",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  ...(new URL(baseUrl).protocol === 'https:'
    ? { 'strict-transport-security': `max-age=${HSTS_SECONDS}; includeSubDomains` }
    : {}),
})
