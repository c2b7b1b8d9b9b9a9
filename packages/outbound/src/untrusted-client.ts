/**
 * Validation for programs that open connections themselves, such as git: the address that they
 * receive, and the certificate authorities that they trust.
 */
import { isIP } from 'node:net'
import { getCACertificates } from 'node:tls'
import type { OutboundError } from '@status-page/contracts'
import { allowedAddresses } from './allowed-addresses.ts'
import { outboundErrorOf } from './failure.ts'
import type { OutboundPolicy } from './policy.ts'
import { addressRefusal, hostNameProblem, hostRefusal } from './target.ts'

/** Port of SSH and of SSH behind strict firewalls; unprivileged ports are allowed too. */
const SSH_PORTS: ReadonlySet<number> = new Set([22, 443])
const FIRST_UNPRIVILEGED_PORT = 1024

export type SshVerdict =
  | { ok: true; host: string; port: number }
  | { ok: false; reason: 'blocked' | 'invalid'; message: string }

/** Validates an SSH server like `checkUrl`. Without DNS. */
export const checkSshServer = (
  server: { host: string; port: number },
  policy: OutboundPolicy,
): SshVerdict => {
  const { port } = server
  const text = isIP(server.host) === 6 ? `[${server.host}]` : server.host
  const isName = /^(?:[a-z0-9][\w.-]*|\[[0-9a-f:.]+\])$/i.test(text)
  if (!isName || !URL.canParse(`http://${text}/`)) return invalid('has no valid host')
  // The URL parser normalises every spelling of an address, as the program's resolver would.
  const host = new URL(`http://${text}/`).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const fault = hostNameProblem(host)
  if (fault !== null) return invalid(fault)
  if (!SSH_PORTS.has(port) && port < FIRST_UNPRIVILEGED_PORT) {
    return { ok: false, reason: 'blocked', message: `port ${port} is not allowed` }
  }
  return hostRefusal(host, port, policy) ?? { ok: true, host, port }
}

/** Validates like `checkSshServer`, then by the addresses that DNS returns in time. */
export const resolveSshServer = async (
  server: { host: string; port: number },
  policy: OutboundPolicy,
): Promise<SshVerdict> => {
  const verdict = checkSshServer(server, policy)
  if (!verdict.ok) return verdict
  return (await addressRefusal(verdict.host, verdict.port, policy)) ?? verdict
}

export type CheckedAddress = { ok: true; address: string } | { ok: false; error: OutboundError }

/**
 * Resolves with the one address for the program to connect to, at the time of use; IPv4 before
 * IPv6.
 */
export const resolveCheckedAddress = async (
  host: string,
  port: number,
  policy: OutboundPolicy,
): Promise<CheckedAddress> => {
  try {
    const addresses = await allowedAddresses(host, port, policy)
    const address = addresses.find((candidate) => isIP(candidate) === 4) ?? addresses[0]
    return address === undefined ? { ok: false, error: 'dns_error' } : { ok: true, address }
  } catch (error) {
    return { ok: false, error: outboundErrorOf(error) }
  }
}

/** PEM of the authorities that Node trusts: its own bundle and NODE_EXTRA_CA_CERTS. */
export const trustedAuthorities = (): readonly string[] => getCACertificates('default')

const invalid = (message: string): SshVerdict => ({ ok: false, reason: 'invalid', message })
