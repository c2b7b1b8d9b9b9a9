/** What goes on to an inner service and what comes back: allow lists and the path, pure. */

import type { IncomingHttpHeaders } from 'node:http'
import { fullPath, type Operation } from '@status-page/contracts'

const requestHeaders = [
  'accept',
  'accept-language',
  'content-type',
  'content-encoding',
  'if-match',
  'if-none-match',
  'idempotency-key',
] as const

/** Signatures of inbound webhooks; only who judges them gets them. */
const signatureHeaders = [
  'x-hub-signature-256',
  'x-hub-signature',
  'x-github-event',
  'x-github-delivery',
  'x-gitlab-token',
  'x-gitlab-event',
  'x-event-key',
  'x-request-uuid',
  'x-signature-256',
  'x-twilio-signature',
  'x-hook-token',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
] as const

const replyHeaders = [
  'allow',
  'cache-control',
  'content-disposition',
  'content-language',
  'content-security-policy',
  'content-type',
  'deprecation',
  'etag',
  'idempotent-replayed',
  'last-modified',
  'link',
  'location',
  'retry-after',
  'sunset',
  'vary',
  'www-authenticate',
] as const

/** Cookies, credentials, `x-caller`, `x-internal-*` and whatever else a client sends stay outside. */
export const headersToForward = (
  headers: IncomingHttpHeaders,
  operation: Operation,
): Record<string, string> =>
  pick(
    headers,
    operation.permission === 'signature'
      ? [...requestHeaders, ...signatureHeaders]
      : requestHeaders,
  )

export const headersToReturn = (
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> => pick(headers, replyHeaders)

const pick = (
  headers: Record<string, string | string[] | undefined>,
  names: readonly string[],
): Record<string, string> => {
  const picked: Record<string, string> = {}
  for (const name of names) {
    const value = headers[name]
    if (typeof value === 'string') picked[name] = value
  }
  return picked
}

/** Built from the operation: what the client spelled reaches the service as parameters only. */
export const pathToForward = (
  operation: Operation,
  params: Readonly<Record<string, string>>,
  url: string,
): string => {
  const path = fullPath(operation).replace(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const start = url.indexOf('?')
  return start === -1 ? path : `${path}?${url.slice(start + 1)}`
}
