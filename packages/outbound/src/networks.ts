/** Networks that a tenant names: one spelling each, and whether an address lies in one of them. Pure. */
import ipaddr from 'ipaddr.js'
import { type Address, parseAddress, readCidr } from './address-rules.ts'

/** The address of a mapped one is judged instead of it, so that such a network would hold nothing. */
const MAPPED = ipaddr.IPv6.parseCIDR('::ffff:0:0/96')

/** Null for what is no network in CIDR notation, and where bits are set behind the prefix. */
export const canonicalNetwork = (text: string): string | null => {
  const range = readCidr(text)
  if (range === null) return null
  const [address, prefix] = range
  if (address.kind() === 'ipv6' && prefix >= MAPPED[1] && address.match(MAPPED)) return null
  const first =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(text)
      : ipaddr.IPv6.networkAddressFromCIDR(text)
  return first.toString() === address.toString() ? `${address}/${prefix}` : null
}

/** Of a client: an IPv4 address may come in its IPv6 form. */
export const isInNetworks = (text: string, networks: readonly string[]): boolean => {
  const parsed = parseAddress(text)
  if (parsed === null) return false
  const address = unmapped(parsed)
  return networks.some((network) => {
    const range = readCidr(network)
    return range !== null && range[0].kind() === address.kind() && address.match(range)
  })
}

const unmapped = (address: Address): Address =>
  address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
    ? address.toIPv4Address()
    : address
