/**
 * Where requests may go: public addresses and the operator's own ranges,
 * but never metadata and never our own infrastructure.
 */
import { lookup } from 'node:dns/promises'
import {
  type Address,
  type Cidr,
  isLoopback,
  isMetadata,
  isPublic,
  isTunnel,
  parseAddress,
  parseCidr,
} from './address-rules.ts'
import { dnsResolver, type Resolver } from './resolve.ts'

export const SMTP_PORTS: readonly number[] = [25, 465, 587, 2525]

export interface OutboundPolicy {
  readonly resolver: Resolver
  readonly smtpPorts: readonly number[]
  /** Whether the operator opened ranges; names of local networks are refused otherwise. */
  readonly hasAllowList: boolean
  /** Of a literal, without asking anyone. */
  allowsAddress(address: string, port: number): boolean
  /** Of a lower-case name without its trailing dot; says nothing of its addresses. */
  allowsName(name: string, port: number): boolean
  /** Whether the address is open to the whole internet, not only by the operator's list. */
  isPublicAddress(address: string): boolean
  /** `allowsAddress` for each, and none of them belongs to one of our own names. */
  allowsAll(addresses: readonly string[], port: number): Promise<boolean>
}

export interface PolicyOptions {
  /** OUTBOUND_ALLOW_CIDRS. Opens these ranges to every tenant. */
  allowCidrs: readonly string[]
  /** Our infrastructure: `host`, `host:port` or a URL. Without a port every port of it is refused. */
  ownHosts: readonly string[]
  resolver?: Resolver
  /** Ports at which a tenant's mail server may listen. */
  smtpPorts?: readonly number[]
  /** Addresses of our own names; the system's lookup, as the services themselves use it. */
  ownLookup?: (name: string) => Promise<readonly string[]>
}

/** Throws a sentence for the operator when an entry cannot be read. */
export const outboundPolicy = (options: PolicyOptions): OutboundPolicy => {
  const allowed = options.allowCidrs.map(parseCidr)
  const own = options.ownHosts.map(parseOwnHost)
  const ownAddresses = ownAddressBook(own, options.ownLookup ?? systemLookup)

  const allowsAddress = (text: string, port: number): boolean => {
    const address = parseAddress(text)
    if (address === null || isMetadata(address) || isOwn(own, address, port)) return false
    return isPublic(address) || isListed(allowed, address)
  }

  return {
    resolver: options.resolver ?? dnsResolver(),
    smtpPorts: options.smtpPorts ?? SMTP_PORTS,
    hasAllowList: allowed.length > 0,
    allowsAddress,
    allowsName: (name, port) =>
      !isMetadataName(name) &&
      !own.some((host) => host.name === name && coversPort(host, port)) &&
      (allowed.length > 0 || isInternetName(name)),
    isPublicAddress(text) {
      const address = parseAddress(text)
      return address !== null && isPublic(address)
    },
    async allowsAll(addresses, port) {
      if (!addresses.every((address) => allowsAddress(address, port))) return false
      const ours = await ownAddresses(port)
      return !addresses.some((address) => ours.has(canonical(address)))
    },
  }
}

export const isLocalhost = (name: string): boolean =>
  name === 'localhost' || name.endsWith('.localhost')

export const LOCALHOST_ADDRESSES: readonly string[] = ['127.0.0.1', '::1']

const METADATA_NAMES = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'instance-data',
  'instance-data.ec2.internal',
]

const isMetadataName = (name: string): boolean => METADATA_NAMES.includes(name)

const LOCAL_SUFFIX = /\.(?:local|localdomain|localhost|internal|lan|home\.arpa|svc|onion)$/

const isInternetName = (name: string): boolean => name.includes('.') && !LOCAL_SUFFIX.test(name)

const isListed = (allowed: readonly Cidr[], address: Address): boolean =>
  !isTunnel(address) && allowed.some((range) => range.contains(address))

interface OwnHost {
  name: string
  address: Address | null
  port: number | null
}

const DEFAULT_PORTS: Record<string, number> = {
  'http:': 80,
  'https:': 443,
  'postgres:': 5432,
  'postgresql:': 5432,
  'nats:': 4222,
}

const parseOwnHost = (text: string): OwnHost => {
  const isUrl = text.includes('://')
  if (!URL.canParse(isUrl ? text : `any://${text}`)) {
    throw new TypeError('An internal host must be a name, host:port or a URL')
  }
  const url = new URL(isUrl ? text : `any://${text}`)
  const name = url.hostname.toLowerCase().replace(/^\[|\]$/g, '')
  if (name === '') throw new TypeError('An internal host has no name')
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : Number(url.port)
  const address = parseAddress(isLocalhost(name) ? '127.0.0.1' : name)
  return { name, address, port: port ?? null }
}

const coversPort = (host: OwnHost, port: number): boolean =>
  host.port === null || host.port === port

/** What listens on one loopback address is reached by all of them. */
const isOwn = (own: readonly OwnHost[], address: Address, port: number): boolean =>
  own.some(
    (host) =>
      host.address !== null &&
      coversPort(host, port) &&
      (canonical(host.address.toString()) === canonical(address.toString()) ||
        (isLoopback(host.address) && isLoopback(address))),
  )

const canonical = (address: string): string => parseAddress(address)?.toString() ?? address

const OWN_ADDRESSES_TTL_MS = 60_000

const systemLookup = async (name: string): Promise<string[]> =>
  (await lookup(name, { all: true })).map(({ address }) => address)

/** The addresses of our own names, so that another name for the same machine is refused too. */
const ownAddressBook = (
  own: readonly OwnHost[],
  lookupOwn: NonNullable<PolicyOptions['ownLookup']>,
) => {
  const names = own.filter((host) => host.address === null)
  let known = new Map<OwnHost, string[]>()
  let freshUntil = 0
  let refreshing: Promise<void> | null = null

  const refresh = async () => {
    const answers = await Promise.all(
      names.map(async (host): Promise<[OwnHost, string[]]> => {
        const found = await lookupOwn(host.name).catch(() => null)
        return [host, found?.map(canonical) ?? known.get(host) ?? []]
      }),
    )
    known = new Map(answers)
    freshUntil = Date.now() + OWN_ADDRESSES_TTL_MS
    refreshing = null
  }

  return async (port: number): Promise<ReadonlySet<string>> => {
    if (names.length === 0) return new Set()
    if (Date.now() >= freshUntil) {
      refreshing ??= refresh()
      // Only the very first call waits; later ones use the last answer meanwhile.
      if (freshUntil === 0) await refreshing
    }
    return new Set([...known].flatMap(([host, found]) => (coversPort(host, port) ? found : [])))
  }
}
