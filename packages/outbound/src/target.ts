/**
 * Validation of URLs and mail servers that tenants enter. `check…` is pure, `resolve…` queries DNS.
 */
import { isIP } from 'node:net'
import { parseTargetUrl } from '@status-page/contracts'
import { allowedAddresses } from './allowed-addresses.ts'
import { outboundErrorOf } from './failure.ts'
import { isInNetworks } from './networks.ts'
import { isLocalhost, LOCALHOST_ADDRESSES, type OutboundPolicy } from './policy.ts'
import { defaultPortOf, isBlockedPort } from './ports.ts'

export interface UrlOptions {
  /** Allowed schemes without colon; `http` and `https` by default. */
  schemes?: readonly string[]
}

type Refusal = { ok: false; reason: 'blocked' | 'invalid'; message: string }
export type UrlVerdict = { ok: true; url: URL } | Refusal
type SmtpPart = 'host' | 'port'
export type SmtpVerdict = { ok: true; host: string; port: number } | (Refusal & { part: SmtpPart })

export const MAX_URL_CHARACTERS = 2048
export const MAX_HOST_CHARACTERS = 253
const MAX_LABEL_CHARACTERS = 63
/**
 * Maximum time that saving waits for DNS. A name without a response is accepted, since a monitor
 * may precede its record.
 */
export const SAVE_DNS_TIMEOUT_MS = 2_000

/** Returns the target in canonical form, or the reason against it. Without DNS. */
export const checkUrl = (
  text: string,
  policy: OutboundPolicy,
  options: UrlOptions = {},
): UrlVerdict => {
  const fault = textFault(text)
  if (fault !== null) return invalid(fault)
  const url = parseTargetUrl(text)
  if (url === null) return invalid('is not a valid URL')
  const schemes = options.schemes ?? ['http', 'https']
  const scheme = url.protocol.slice(0, -1)
  if (!schemes.some((allowed) => allowed === scheme)) {
    return invalid(`must begin with ${schemes.map((allowed) => `${allowed}://`).join(' or ')}`)
  }
  url.hash = ''
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  const host = hostOf(url)
  const hostFault = hostNameProblem(host)
  if (hostFault !== null) return invalid(hostFault)
  if (url.port === '' && defaultPortOf(scheme) === null) return invalid('must have a port')
  const port = portOf(url)
  if (isBlockedPort(scheme, port)) return blocked(`port ${port} is not allowed`)
  return hostRefusal(host, port, policy) ?? { ok: true, url }
}

/** Validates like `checkUrl`, then by the addresses that DNS returns in time. */
export const resolveUrl = async (
  text: string,
  policy: OutboundPolicy,
  options: UrlOptions = {},
): Promise<UrlVerdict> => {
  const verdict = checkUrl(text, policy, options)
  if (!verdict.ok) return verdict
  const { url } = verdict
  return (await addressRefusal(hostOf(url), portOf(url), policy)) ?? verdict
}

/** Validates the host and port of a tenant's mail server like `checkUrl`. */
export const checkSmtpServer = (
  server: { host: string; port: number },
  policy: OutboundPolicy,
): SmtpVerdict => {
  const { port } = server
  // The URL parser normalises every spelling of an address; no later step does.
  const text = isIP(server.host) === 6 ? `[${server.host}]` : server.host
  if (!/^(?:[\w.-]+|\[[0-9a-f:.]+\])$/i.test(text) || !URL.canParse(`http://${text}/`)) {
    return { ...invalid('is not a host name'), part: 'host' }
  }
  const host = hostOf(new URL(`http://${text}/`)).replace(/\.$/, '')
  const fault = hostNameProblem(host)
  if (fault !== null) return { ...invalid(fault), part: 'host' }
  if (!policy.smtpPorts.includes(port)) {
    return { ...blocked(`must be one of ${policy.smtpPorts.join(', ')}`), part: 'port' }
  }
  const refusal = hostRefusal(host, port, policy)
  return refusal === null ? { ok: true, host, port } : { ...refusal, part: 'host' }
}

export const resolveSmtpServer = async (
  server: { host: string; port: number },
  policy: OutboundPolicy,
): Promise<SmtpVerdict> => {
  const verdict = checkSmtpServer(server, policy)
  if (!verdict.ok) return verdict
  const refusal = await addressRefusal(verdict.host, verdict.port, policy)
  return refusal === null ? verdict : { ...refusal, part: 'host' }
}

/**
 * Returns the first of the networks with the address of a target; null when none has it, and when
 * DNS returns no allowed address.
 */
export const resolveNetwork = async (
  text: string,
  networks: readonly string[],
  policy: OutboundPolicy,
): Promise<string | null> => {
  const url = new URL(text)
  const found = allowedAddresses(hostOf(url), portOf(url), policy, SAVE_DNS_TIMEOUT_MS)
  const [address] = await found.catch(() => [])
  if (address === undefined) return null
  return networks.find((network) => isInNetworks(address, [network])) ?? null
}

/** Host name or address, without the brackets of an IPv6 literal. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

export const portOf = (url: URL): number =>
  Number(url.port || defaultPortOf(url.protocol.slice(0, -1)))

const invalid = (message: string): Refusal => ({ ok: false, reason: 'invalid', message })
const blocked = (message: string): Refusal => ({ ok: false, reason: 'blocked', message })

/** White space, control characters and backslash, which the WHATWG parser corrects silently. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const REPAIRED = /[\s\u0000-\u0020\u007f-\u009f\\]/

/** Problem of the text before a parser corrects it; null for none. */
const textFault = (text: string): string | null => {
  if (text.length > MAX_URL_CHARACTERS) return `must have at most ${MAX_URL_CHARACTERS} characters`
  if (!text.isWellFormed() || REPAIRED.test(text)) {
    return 'must not contain white space, control characters or backslashes'
  }
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]+)/i.exec(text)?.[1]
  if (authority === undefined) return 'must be an absolute URL'
  if (authority.includes('@')) return 'must not contain user information'
  return null
}

export const hostNameProblem = (host: string): string | null => {
  const isWrong =
    host === '' ||
    host.length > MAX_HOST_CHARACTERS ||
    /^\.|\.\.|\.$/.test(host) ||
    /%/.test(host) ||
    (isIP(host) === 0 && host.split('.').some(({ length }) => length > MAX_LABEL_CHARACTERS))
  return isWrong ? 'has no valid host' : null
}

export const hostRefusal = (host: string, port: number, policy: OutboundPolicy): Refusal | null => {
  const literals = isIP(host) !== 0 ? [host] : isLocalhost(host) ? LOCALHOST_ADDRESSES : null
  if (literals === null) {
    return policy.allowsName(host, port) ? null : blocked('has a host that is not allowed')
  }
  const isOpen = literals.some((address) => policy.allowsAddress(address, port))
  return isOpen ? null : blocked('has an address that is not public')
}

export const addressRefusal = async (host: string, port: number, policy: OutboundPolicy) => {
  try {
    await allowedAddresses(host, port, policy, SAVE_DNS_TIMEOUT_MS)
    return null
  } catch (error) {
    return outboundErrorOf(error) === 'blocked'
      ? blocked('resolves to an address that is not public')
      : null
  }
}
