/** What goes on to an inner service and what comes back: allow lists and the path, pure. */

import type { IncomingHttpHeaders } from 'node:http'
import { fastifyCookie } from '@fastify/cookie'
import { fullPath, isOfPage, type Operation, PAGE_COOKIE } from '@status-page/contracts'

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
  'x-robots-tag',
] as const

/** Other cookies, credentials, `x-caller`, `x-internal-*` and whatever else a client sends stay outside. */
export const headersToForward = (
  headers: IncomingHttpHeaders,
  operation: Operation,
): Record<string, string> => ({
  ...pick(
    headers,
    operation.permission === 'signature'
      ? [...requestHeaders, ...signatureHeaders]
      : requestHeaders,
  ),
  ...(isOfPage(operation) ? pageCookieOf(headers) : {}),
})

const pageCookieOf = ({ cookie }: IncomingHttpHeaders): { cookie?: string } => {
  const value = cookie === undefined ? undefined : fastifyCookie.parse(cookie)[PAGE_COOKIE]
  return value !== undefined && PAGE_COOKIE_VALUE.test(value)
    ? { cookie: `${PAGE_COOKIE}=${value}` }
    : {}
}

const PAGE_COOKIE_VALUE = /^[\w.-]{1,128}$/

type ReplyHeaders = Record<string, string | string[] | undefined>

export const headersToReturn = (
  headers: ReplyHeaders,
  operation: Operation,
): Record<string, string | string[]> => ({
  ...pick(headers, replyHeaders),
  ...(isOfPage(operation) ? pageCookiesIn(headers) : {}),
})

const pageCookiesIn = (headers: ReplyHeaders): { 'set-cookie'?: string[] } => {
  const cookies = [headers['set-cookie'] ?? []].flat()
  const own = cookies.filter((cookie) => cookie.startsWith(`${PAGE_COOKIE}=`))
  return own.length === 0 ? {} : { 'set-cookie': own }
}

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
