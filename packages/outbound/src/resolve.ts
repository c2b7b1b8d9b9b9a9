/**
 * DNS lookups of addresses, TXT records and CNAMEs with a deadline; without thread pool, hosts file
 * and search domains.
 */
import { Resolver as DnsResolver } from 'node:dns/promises'
import { withTimeout } from '@status-page/concurrency'
import { OutboundFailure } from './failure.ts'

export interface Resolver {
  /** Resolves with at least one address, or rejects with `dns_error`. */
  resolve(name: string, timeoutMs: number): Promise<string[]>
}

export interface TextResolver {
  /** TXT records, each joined; empty when the name has none or no server responds in time. */
  resolveText(name: string, timeoutMs: number): Promise<string[]>
}

/**
 * Result of a CNAME lookup. A missing name or alias is a response too; a failing or slow server
 * gives none.
 */
export type CnameLookupResult = { isAnswered: true; target: string | null } | { isAnswered: false }

export type TextLookupResult =
  | { isAnswered: true; texts: readonly string[] }
  | { isAnswered: false }

export interface AliasResolver {
  /** Target of the name's CNAME, in lower case and without the trailing dot. */
  resolveAlias(name: string, timeoutMs: number): Promise<CnameLookupResult>
  /** TXT lookup that reports a failing or slow server as unanswered. */
  lookUpText(name: string, timeoutMs: number): Promise<TextLookupResult>
}

export const DNS_TIMEOUT_MS = 3_000
const QUERY_TIMEOUT_MS = 1_000
const QUERY_TRIES = 2
const SECOND_FAMILY_MS = 250
const MAX_ADDRESSES = 32
const MAX_TEXTS = 256

/** Creates a resolver; `servers` as `address:port`, the system's by default. */
export const createDnsResolver = (
  options: { servers?: readonly string[] } = {},
): Resolver & TextResolver & AliasResolver => {
  const dns = new DnsResolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES })
  if (options.servers !== undefined) dns.setServers(options.servers)

  return {
    resolve: (name, timeoutMs) => resolveAddresses(dns, name, timeoutMs),

    async resolveText(name, timeoutMs) {
      const result = await queryText(dns, name, timeoutMs)
      return result.isAnswered ? [...result.texts] : []
    },

    async resolveAlias(name, timeoutMs) {
      let alias: CnameLookupResult = { isAnswered: false }
      const query = dns.resolveCname(name).then(
        ([target]) => {
          alias = { isAnswered: true, target: target?.toLowerCase().replace(/\.$/, '') ?? null }
        },
        (error: NodeJS.ErrnoException) => {
          if (emptyCodes.has(error.code ?? '')) alias = { isAnswered: true, target: null }
        },
      )
      await withTimeout(query, timeoutMs, () => {})
      return alias
    },

    lookUpText: (name, timeoutMs) => queryText(dns, name, timeoutMs),
  }
}

const resolveAddresses = async (
  dns: DnsResolver,
  name: string,
  timeoutMs: number,
): Promise<string[]> => {
  const found: string[] = []
  const collect = async (query: Promise<string[]>) => {
    const addresses = await query.catch(() => [])
    found.push(...addresses)
    if (addresses.length === 0) throw new OutboundFailure('dns_error')
  }
  const families = [collect(dns.resolve4(name)), collect(dns.resolve6(name))]
  // One address family without a response must not delay the other (RFC 8305, with a longer delay).
  await withTimeout(Promise.any(families), timeoutMs, () => {}).catch(() => {})
  await withTimeout(Promise.allSettled(families), SECOND_FAMILY_MS, () => {})
  const addresses = [...found]
  if (addresses.length === 0 || addresses.length > MAX_ADDRESSES) {
    throw new OutboundFailure('dns_error')
  }
  return addresses
}

const queryText = (
  dns: DnsResolver,
  name: string,
  timeoutMs: number,
): Promise<TextLookupResult> => {
  const query = dns.resolveTxt(name).then<TextLookupResult, TextLookupResult>(
    (records) => ({ isAnswered: true, texts: textsOf(records) }),
    (error: NodeJS.ErrnoException) =>
      emptyCodes.has(error.code ?? '') ? { isAnswered: true, texts: [] } : { isAnswered: false },
  )
  return withTimeout(query, timeoutMs, () => ({ isAnswered: false as const }))
}

/** Joins the strings of each TXT record, which DNS limits to 255 bytes each. */
const textsOf = (records: readonly string[][]): string[] =>
  records.slice(0, MAX_TEXTS).map((pieces) => pieces.join(''))

const emptyCodes: ReadonlySet<string> = new Set(['ENODATA', 'ENOTFOUND'])
