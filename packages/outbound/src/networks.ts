/** Networks that a tenant configures: their canonical form, and membership of an address. Pure. */
import ipaddr from 'ipaddr.js'
import { type Address, parseAddress, tryParseCidr } from './address-rules.ts'

/**
 * Mapped range. A mapped address is compared as IPv4, so a network in this range would match
 * nothing.
 */
const MAPPED = ipaddr.IPv6.parseCIDR('::ffff:0:0/96')

/**
 * Returns the canonical form; null when the text is no CIDR network or has bits set behind the
 * prefix.
 */
export const canonicalNetwork = (text: string): string | null => {
  const range = tryParseCidr(text)
  if (range === null) return null
  const [address, prefix] = range
  if (address.kind() === 'ipv6' && prefix >= MAPPED[1] && address.match(MAPPED)) return null
  const first =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(text)
      : ipaddr.IPv6.networkAddressFromCIDR(text)
  return first.toString() === address.toString() ? `${address}/${prefix}` : null
}

/** Whether a client's address is in one of the networks; it may be an IPv4 address in IPv6 form. */
export const isInNetworks = (text: string, networks: readonly string[]): boolean => {
  const parsed = parseAddress(text)
  if (parsed === null) return false
  const address = unmapped(parsed)
  return networks.some((network) => {
    const range = tryParseCidr(network)
    return range !== null && range[0].kind() === address.kind() && address.match(range)
  })
}

const unmapped = (address: Address): Address =>
  address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
    ? address.toIPv4Address()
    : address
