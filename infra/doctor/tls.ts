/** Check of the public address: a TLS handshake, the certificate and its remaining days. */
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { type Diagnosis, failed, ok, reasonOf, skipped, warning } from './finding.ts'
import type { Settings } from './settings.ts'

const TIMEOUT_MS = 4_000
const DAY_MS = 24 * 60 * 60 * 1000
/** Certificates of 90 days are renewed a month before their end. */
const WARNING_DAYS = 14
const HTTPS_PORT = 443

export const checkCertificate = async ({ BASE_URL }: Settings): Promise<Diagnosis[]> => {
  if (BASE_URL === undefined) return [skipped('BASE_URL is not set.')]
  if (!URL.canParse(BASE_URL)) {
    return [failed('BASE_URL is not a URL.', 'Use the form https://status.example.com.')]
  }
  const { protocol, hostname, port } = new URL(BASE_URL)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (protocol !== 'https:') return [withoutTls(host)]
  const address = { host, port: port === '' ? HTTPS_PORT : Number(port) }
  try {
    const socket = await handshake(address)
    const { authorizationError } = socket
    const expiresAt = new Date(socket.getPeerCertificate().valid_to)
    socket.destroy()
    return [certificateFinding(host, { expiresAt, fault: authorizationError })]
  } catch (error) {
    const message = `${host}:${address.port} does not complete a TLS handshake: ${reasonOf(error)}.`
    return [failed(message, 'Start the proxy, and open its port; BASE_URL must lead to it.')]
  }
}

const withoutTls = (host: string): Diagnosis =>
  host === 'localhost' || host.startsWith('127.') || host === '::1'
    ? skipped('BASE_URL is on this machine and uses no TLS.')
    : warning(
        'BASE_URL begins with http://: sessions and passwords are sent without encryption.',
        'Put a proxy with a certificate in front, and set BASE_URL to its https:// address.',
      )

const certificateFinding = (
  host: string,
  { expiresAt, fault }: { expiresAt: Date; fault: Error | string | undefined },
): Diagnosis => {
  const days = Math.floor((expiresAt.getTime() - Date.now()) / DAY_MS)
  const date = expiresAt.toISOString().slice(0, 10)
  if (days < 0) {
    const remedy = 'Renew it, and repair the automatic renewal of the proxy.'
    return failed(`The certificate of ${host} expired on ${date}.`, remedy)
  }
  if (fault) {
    const remedy = 'Install a certificate for this host with its intermediate certificates.'
    const reason = typeof fault === 'string' ? fault : reasonOf(fault)
    return failed(`The certificate of ${host} does not verify: ${reason}.`, remedy)
  }
  const summary = `The certificate of ${host} is valid until ${date}, for ${days} days.`
  return days < WARNING_DAYS
    ? warning(summary, 'Check the automatic renewal of the proxy.')
    : ok(summary)
}

/** Resolves after the handshake, also with a certificate that does not verify. */
const handshake = ({ host, port }: { host: string; port: number }): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const servername = isIP(host) === 0 ? { servername: host } : {}
    const socket = connect({ host, port, ...servername, rejectUnauthorized: false }, () =>
      resolve(socket),
    )
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no response within 4 s')))
    socket.once('error', reject)
  })
