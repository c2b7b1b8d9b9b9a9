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
  // Alertmanager has no header of its own; the gateway itself looks for no credential here.
  'authorization',
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
  'referrer-policy',
  'retry-after',
  'sunset',
  'vary',
  'www-authenticate',
  'x-robots-tag',
] as const

type Headers = Record<string, string | string[] | undefined>

/** Other cookies, credentials, `x-caller`, `x-internal-*` and whatever else a client sends stay outside. */
export const headersToForward = (operation: Operation) => {
  const isSigned = operation.permission === 'signature'
  const names = isSigned ? [...requestHeaders, ...signatureHeaders] : requestHeaders
  return (headers: IncomingHttpHeaders): Record<string, string> => {
    const picked = pick(headers, names)
    return isOfPage(operation) ? { ...picked, ...pageCookieOf(headers) } : picked
  }
}

const pageCookieOf = ({ cookie }: IncomingHttpHeaders): { cookie?: string } => {
  const value = cookie === undefined ? undefined : fastifyCookie.parse(cookie)[PAGE_COOKIE]
  return value !== undefined && PAGE_COOKIE_VALUE.test(value)
    ? { cookie: `${PAGE_COOKIE}=${value}` }
    : {}
}

const PAGE_COOKIE_VALUE = /^[\w.-]{1,128}$/

export const headersToReturn = (
  headers: Headers,
  operation: Operation,
): Record<string, string | string[]> => {
  const picked = pick(headers, replyHeaders)
  return isOfPage(operation) ? { ...picked, ...pageCookiesIn(headers) } : picked
}

const pageCookiesIn = (headers: Headers): { 'set-cookie'?: string[] } => {
  const cookies = [headers['set-cookie'] ?? []].flat()
  const own = cookies.filter((cookie) => cookie.startsWith(`${PAGE_COOKIE}=`))
  return own.length === 0 ? {} : { 'set-cookie': own }
}

const pick = (headers: Headers, names: readonly string[]): Record<string, string> => {
  const picked: Record<string, string> = {}
  for (const name of names) {
    const value = headers[name]
    if (typeof value === 'string') picked[name] = value
  }
  return picked
}

/** Built from the operation: what the client spelled reaches the service as parameters only. */
export const pathToForward = (operation: Operation) => {
  // Texts and names of parameters in turns.
  const parts = fullPath(operation).split(/\{(\w+)\}/)
  return (params: Readonly<Record<string, string>>, url: string): string => {
    const path = parts
      .map((part, index) => (index % 2 === 0 ? part : encodeURIComponent(params[part] ?? '')))
      .join('')
    const start = url.indexOf('?')
    return start === -1 ? path : path + url.slice(start)
  }
}
