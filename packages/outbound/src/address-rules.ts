/**
 * Classification of addresses: public, metadata service, CIDR ranges. Pure. A form that embeds
 * another address is never public.
 */
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

export interface Cidr {
  text: string
  contains(address: Address): boolean
}

/** Parses a canonical address literal; null for anything else. */
export const parseAddress = (text: string): Address | null => {
  // Runs on every connect; the library rejects by throwing, so only texts that may be addresses
  // reach it.
  if (isIPv4(text)) return ipaddr.IPv4.parse(text)
  const mayBeV6 = text.includes(':') && !text.includes('%')
  return mayBeV6 && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null
}

/**
 * Whether the address is public unicast; for IPv6 also inside 2000::/3, since the library
 * classifies `::7f00:1` as unicast.
 */
export const isPublicAddress = (address: Address): boolean =>
  address.range() === 'unicast' &&
  !isMetadataAddress(address) &&
  (isV4(address) || address.match(GLOBAL_UNICAST))

/**
 * Whether a cloud serves credentials at the address, itself or embedded in a mapped or NAT64 form.
 */
export const isMetadataAddress = (address: Address): boolean => {
  if (isV4(address)) return METADATA_V4.some((range) => address.match(range))
  const carried = carriedAddress(address)
  if (carried !== null) return isMetadataAddress(carried)
  return METADATA_V6.some((range) => address.match(range))
}

/**
 * Parses a network with a prefix of at least one bit; throws a message for the operator otherwise.
 */
export const parseCidr = (text: string): Cidr => {
  const range = tryParseCidr(text)
  if (range === null) {
    throw new TypeError(`OUTBOUND_ALLOW_CIDRS: ${text} is not a network in CIDR notation`)
  }
  const [network, prefix] = range
  if (prefix === 0) throw new TypeError(`OUTBOUND_ALLOW_CIDRS: ${text} would allow every address`)
  return {
    text,
    contains: (address) => address.kind() === network.kind() && address.match(range),
  }
}

/** Whether the address tunnels to another one; no allow list covers such a form. */
export const isTunnelAddress = (address: Address): boolean => {
  const range = address.range()
  return range === '6to4' || range === 'teredo' || range === 'rfc6145'
}

export const isLoopbackAddress = (address: Address): boolean => address.range() === 'loopback'

const isV4 = (address: Address): address is ipaddr.IPv4 => address.kind() === 'ipv4'

const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

const v4 = (text: string) => ipaddr.IPv4.parseCIDR(text)
const v6 = (text: string) => ipaddr.IPv6.parseCIDR(text)

const METADATA_V4 = [
  // Link-local as a whole: 169.254.169.254 of most clouds, .170.2 and .170.23 of container roles.
  v4('169.254.0.0/16'),
  v4('100.100.100.200/32'), // Alibaba
  v4('168.63.129.16/32'), // Azure; the library classifies it as unicast
  v4('192.0.0.192/32'), // Oracle
]

const METADATA_V6 = [
  v6('fd00:ec2::/32'), // Amazon
  v6('fd20:ce::/32'), // Google
  v6('fd00:c1::/32'), // Oracle
  v6('fd00:42::/32'), // Scaleway
]

/**
 * Returns the IPv4 address in the last 32 bits of a mapped, compatible or well-known NAT64 address.
 */
const carriedAddress = (address: ipaddr.IPv6): ipaddr.IPv4 | null =>
  CARRIERS.some((range) => address.match(range))
    ? new ipaddr.IPv4(address.toByteArray().slice(12))
    : null

const CARRIERS = [
  '::/96',
  '::ffff:0:0/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
].map(v6)

export type AddressRange = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Parses an address, a slash and a prefix; null for anything else. */
export const tryParseCidr = (text: string): AddressRange | null => {
  const [address, prefix, ...rest] = text.split('/')
  if (address === undefined || !/^\d{1,3}$/.test(prefix ?? '') || rest.length > 0) return null
  if (parseAddress(address) === null) return null
  try {
    return ipaddr.parseCIDR(text)
  } catch {
    return null
  }
}
