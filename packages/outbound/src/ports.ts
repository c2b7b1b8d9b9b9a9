/** Ports of URLs, by scheme: the one of a URL without a port, and those that are blocked. */
import { type PortGroup, portsOfScheme } from '@status-page/contracts'

/** Ports that the Fetch standard blocks (https://fetch.spec.whatwg.org/#port-blocking). */
const FETCH_BLOCKED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
])

/** Ports on which mail servers accept messages for other hosts. */
const MAIL_PORTS: ReadonlySet<number> = new Set([0, 25, 465, 587, 2525])

/** Well-known port of DNS servers; others run on unprivileged ports. */
const DNS_PORT = 53
const FIRST_UNPRIVILEGED_PORT = 1024

const isBlocked: Record<PortGroup, (port: number) => boolean> = {
  web: (port) => FETCH_BLOCKED_PORTS.has(port),
  // A connection alone and a TLS handshake cannot carry a message of another protocol, so that
  // checks of SSH, FTP or IMAP servers are possible.
  connection: (port) => MAIL_PORTS.has(port),
  dns: (port) =>
    port !== DNS_PORT && (port < FIRST_UNPRIVILEGED_PORT || FETCH_BLOCKED_PORTS.has(port)),
  // 0 stands for no port.
  none: (port) => port !== 0,
}

/** Port of a URL without one; null where a URL must have a port. */
export const defaultPortOf = (scheme: string): number | null =>
  portsOfScheme(scheme)?.defaultPort ?? null

export const isBlockedPort = (scheme: string, port: number): boolean => {
  const ports = portsOfScheme(scheme)
  return ports === undefined || isBlocked[ports.group](port)
}

/** Whether a text of a tenant may be sent to the port over a plain connection. */
export const acceptsText = (port: number): boolean =>
  !FETCH_BLOCKED_PORTS.has(port) && !MAIL_PORTS.has(port)
