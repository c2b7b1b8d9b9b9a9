/** The judged addresses of a host. What comes out of here may be dialled, and nothing else ever is. */
import { isIP } from 'node:net'
import { OutboundFailure } from './failure.ts'
import { isLocalhost, LOCALHOST_ADDRESSES, type OutboundPolicy } from './policy.ts'
import { DNS_TIMEOUT_MS } from './resolve.ts'

/** Every address of the host, all allowed, or a failure: one refused address refuses the answer. */
export const dialableAddresses = async (
  host: string,
  port: number,
  policy: OutboundPolicy,
  timeoutMs: number = DNS_TIMEOUT_MS,
): Promise<readonly string[]> => {
  if (isIP(host) !== 0) return allAllowed([host], port, policy)
  if (!policy.allowsName(host, port)) throw new OutboundFailure('blocked')
  if (isLocalhost(host)) {
    // Not an answer of somebody's server: an operator may have opened one family only.
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
