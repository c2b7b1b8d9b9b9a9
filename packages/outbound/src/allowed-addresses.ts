/** Validated addresses of a host, the only ones that sockets connect to. */
import { isIP } from 'node:net'
import { OutboundFailure } from './failure.ts'
import { isLocalhost, LOCALHOST_ADDRESSES, type OutboundPolicy } from './policy.ts'
import { DNS_TIMEOUT_MS } from './resolve.ts'

/**
 * Resolves with all addresses of the host, every one allowed; a single blocked address rejects the
 * host.
 */
export const allowedAddresses = async (
  host: string,
  port: number,
  policy: OutboundPolicy,
  timeoutMs: number = DNS_TIMEOUT_MS,
): Promise<readonly string[]> => {
  if (isIP(host) !== 0) return allAllowed([host], port, policy)
  if (!policy.allowsName(host, port)) throw new OutboundFailure('blocked')
  if (isLocalhost(host)) {
    // Not resolved by DNS: an operator may have allowed only one address family.
    const open = LOCALHOST_ADDRESSES.filter((address) => policy.allowsAddress(address, port))
    if (open.length === 0) throw new OutboundFailure('blocked')
    return open
  }
  return allAllowed(await policy.resolver.resolve(host, timeoutMs), port, policy)
}

const allAllowed = async (addresses: readonly string[], port: number, policy: OutboundPolicy) => {
  if (await policy.allowsAll(addresses, port)) return addresses
  throw new OutboundFailure('blocked')
}
