/**
 * Policy of outbound requests: public addresses and the operator's allowed ranges are permitted,
 * metadata services and the installation's own infrastructure never.
 */
import { lookup } from 'node:dns/promises'
import {
  type Address,
  type Cidr,
  isLoopbackAddress,
  isMetadataAddress,
  isPublicAddress,
  isTunnelAddress,
  parseAddress,
  parseCidr,
} from './address-rules.ts'
import { createDnsResolver, type Resolver } from './resolve.ts'

export const SMTP_PORTS: readonly number[] = [25, 465, 587, 2525]

export interface OutboundPolicy {
  readonly resolver: Resolver
  readonly smtpPorts: readonly number[]
  /** Whether the operator allowed ranges; names of local networks are blocked otherwise. */
  readonly hasAllowList: boolean
  /** Evaluates an address literal, without DNS. */
  allowsAddress(address: string, port: number): boolean
  /** Evaluates a lower-case name without its trailing dot; independent of its addresses. */
  allowsName(name: string, port: number): boolean
  /** Whether the address is public, regardless of the operator's list. */
  isPublicAddress(address: string): boolean
  /** Whether all addresses are allowed and none belongs to an internal host name. */
  allowsAll(addresses: readonly string[], port: number): Promise<boolean>
}

export interface PolicyOptions {
  /** Ranges of OUTBOUND_ALLOW_CIDRS, allowed for every tenant. */
  allowCidrs: readonly string[]
  /**
   * Internal hosts as `host`, `host:port` or URL. Without a port all ports of the host are blocked.
   */
  ownHosts: readonly string[]
  resolver?: Resolver
  /** Ports on which a tenant's mail server may listen. */
  smtpPorts?: readonly number[]
  /** Lookup of internal host names; by default the system's, as the services use it. */
  ownLookup?: (name: string) => Promise<readonly string[]>
}

/** Creates the policy; throws a message for the operator when an entry cannot be parsed. */
export const outboundPolicy = (options: PolicyOptions): OutboundPolicy => {
  const allowed = options.allowCidrs.map(parseCidr)
  const own = options.ownHosts.map(parseOwnHost)
  const ownAddresses = createOwnAddresses(own, options.ownLookup ?? systemLookup)

  const allowsAddress = (text: string, port: number): boolean => {
    const address = parseAddress(text)
    if (address === null || isMetadataAddress(address) || isOwn(own, address, port)) return false
    return isPublicAddress(address) || isListed(allowed, address)
  }

  return {
    resolver: options.resolver ?? createDnsResolver(),
    smtpPorts: options.smtpPorts ?? SMTP_PORTS,
    hasAllowList: allowed.length > 0,
    allowsAddress,
    allowsName: (name, port) =>
      !isMetadataName(name) &&
      !own.some((host) => host.name === name && coversPort(host, port)) &&
      (allowed.length > 0 || isInternetName(name)),
    isPublicAddress(text) {
      const address = parseAddress(text)
      return address !== null && isPublicAddress(address)
    },
    async allowsAll(addresses, port) {
      if (!addresses.every((address) => allowsAddress(address, port))) return false
      const internalAddresses = await ownAddresses(port)
      return !addresses.some((address) => internalAddresses.has(canonical(address)))
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
  !isTunnelAddress(address) && allowed.some((range) => range.contains(address))

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
  'tls:': 4222,
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

/** Whether the address is an internal host. All loopback addresses reach the same listener. */
const isOwn = (own: readonly OwnHost[], address: Address, port: number): boolean =>
  own.some(
    (host) =>
      host.address !== null &&
      coversPort(host, port) &&
      (canonical(host.address.toString()) === canonical(address.toString()) ||
        (isLoopbackAddress(host.address) && isLoopbackAddress(address))),
  )

const canonical = (address: string): string => parseAddress(address)?.toString() ?? address

const OWN_ADDRESSES_TTL_MS = 60_000

const systemLookup = async (name: string): Promise<string[]> =>
  (await lookup(name, { all: true })).map(({ address }) => address)

/** Resolves the internal host names, so that another name for the same machine is blocked too. */
const createOwnAddresses = (
  own: readonly OwnHost[],
  lookupOwn: NonNullable<PolicyOptions['ownLookup']>,
) => {
  const names = own.filter((host) => host.address === null)
  let addressesByHost = new Map<OwnHost, string[]>()
  let freshUntil = 0
  let refreshing: Promise<void> | null = null

  const refresh = async () => {
    const entries = await Promise.all(
      names.map(async (host): Promise<[OwnHost, string[]]> => {
        const found = await lookupOwn(host.name).catch(() => null)
        return [host, found?.map(canonical) ?? addressesByHost.get(host) ?? []]
      }),
    )
    addressesByHost = new Map(entries)
    freshUntil = Date.now() + OWN_ADDRESSES_TTL_MS
    refreshing = null
  }

  return async (port: number): Promise<ReadonlySet<string>> => {
    if (names.length === 0) return new Set()
    if (Date.now() >= freshUntil) {
      refreshing ??= refresh()
      // Only the first call waits; later ones use the previous result during a refresh.
      if (freshUntil === 0) await refreshing
    }
    return new Set(
      [...addressesByHost].flatMap(([host, found]) => (coversPort(host, port) ? found : [])),
    )
  }
}
