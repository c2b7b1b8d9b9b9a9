/** Allow lists of request and response headers, and the path that is forwarded. Pure. */

import type { IncomingHttpHeaders } from 'node:http'
import { fastifyCookie } from '@fastify/cookie'
import {
  fullPath,
  isStatusPageOperation,
  type Operation,
  PAGE_COOKIE,
} from '@status-page/contracts'

const requestHeaders = [
  'accept',
  'accept-language',
  'content-type',
  'content-encoding',
  'if-match',
  'if-none-match',
  'idempotency-key',
] as const

/** Signature headers of inbound webhooks; only operations that verify a signature receive them. */
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
  // Alertmanager sends its token in this header; the gateway reads no credential from it here.
  'authorization',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
] as const

const replyHeaders: ReadonlySet<string> = new Set([
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
])

type Headers = Record<string, string | string[] | undefined>

/**
 * Headers to forward. Other cookies, credentials, `x-caller`, `x-internal-*` and all unknown
 * headers are dropped.
 */
export const headersToForward = (operation: Operation) => {
  const isSigned = operation.permission === 'signature'
  const names = isSigned ? [...requestHeaders, ...signatureHeaders] : requestHeaders
  const isPage = isStatusPageOperation(operation)
  return (headers: IncomingHttpHeaders): Record<string, string> => {
    const picked = pick(headers, names)
    return isPage ? { ...picked, ...pageCookieOf(headers) } : picked
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
  const picked: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === 'string' && replyHeaders.has(name)) picked[name] = value
  }
  return isStatusPageOperation(operation) ? { ...picked, ...pageCookiesIn(headers) } : picked
}

const pageCookiesIn = (headers: Headers): { 'set-cookie'?: string[] } => {
  const cookies = [headers['set-cookie'] ?? []].flat()
  const pageCookies = cookies.filter((cookie) => cookie.startsWith(`${PAGE_COOKIE}=`))
  return pageCookies.length === 0 ? {} : { 'set-cookie': pageCookies }
}

const pick = (headers: Headers, names: readonly string[]): Record<string, string> => {
  const picked: Record<string, string> = {}
  for (const name of names) {
    const value = headers[name]
    if (typeof value === 'string') picked[name] = value
  }
  return picked
}

/**
 * Path to forward, built from the operation: text of the client reaches the service in parameters
 * only.
 */
export const pathToForward = (operation: Operation) => {
  // Alternating texts and parameter names.
  const [first = '', ...parts] = fullPath(operation).split(/\{(\w+)\}/)
  return (params: Readonly<Record<string, string>>, url: string): string => {
    let path = first
    for (let at = 0; at < parts.length; at += 2) {
      path += encodeURIComponent(params[parts[at] ?? ''] ?? '') + (parts[at + 1] ?? '')
    }
    const start = url.indexOf('?')
    return start === -1 ? path : path + url.slice(start)
  }
}
