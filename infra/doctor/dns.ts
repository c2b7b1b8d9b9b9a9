/** Checks of DNS: hosts of the settings, and the records that receivers of mail require. */
import { createPublicKey } from 'node:crypto'
import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { natsServersOf } from '@status-page/bus/nats-servers'
import { databaseAddressesOf } from '@status-page/postgres'
import { type Diagnosis, failed, ok, skipped, warning } from './finding.ts'
import type { DoctorSetting, Settings } from './settings.ts'

const QUERY_TIMEOUT_MS = 1_000
const QUERY_TRIES = 2

/** `servers`: DNS servers of the mail records, those of the system by default. */
export const checkDns = async (
  settings: Settings,
  servers?: readonly string[],
): Promise<Diagnosis[]> => {
  const hosts = hostsOf(settings)
  const results = await Promise.all([
    ...hosts.map(({ host, setting }) => checkHost(host, setting)),
    settings.SMTP_URL === undefined ? [] : checkMailRecords(settings, servers),
  ])
  const problems = results.flat()
  if (problems.length > 0) return problems
  if (hosts.length === 0) return [skipped('No setting contains a host name.')]
  return [ok(`Host names resolve: ${hosts.map(({ host }) => host).join(', ')}.`)]
}

/** Host names of the settings, each once. */
const hostsOf = (settings: Settings): { host: string; setting: DoctorSetting }[] => {
  const { DATABASE_URL, NATS_URL, SMTP_URL, BASE_URL } = settings
  const found: [DoctorSetting, string[]][] = [
    ['BASE_URL', hostnames([BASE_URL])],
    [
      'DATABASE_URL',
      readOrEmpty(() => databaseAddressesOf(DATABASE_URL ?? '').map(({ host }) => host)),
    ],
    [
      'NATS_URL',
      NATS_URL === 'none' ? [] : readOrEmpty(() => hostnames(natsServersOf(NATS_URL ?? ''))),
    ],
    ['SMTP_URL', hostnames([SMTP_URL])],
  ]
  const byHost = new Map<string, DoctorSetting>()
  for (const [setting, hosts] of found) {
    for (const host of hosts) if (isIP(host) === 0 && !byHost.has(host)) byHost.set(host, setting)
  }
  return [...byHost].map(([host, setting]) => ({ host, setting }))
}

/** Empty for an invalid setting, which the check of its server reports. */
const readOrEmpty = (read: () => string[]): string[] => {
  try {
    return read()
  } catch {
    return []
  }
}

const hostnames = (urls: readonly (string | undefined)[]): string[] =>
  urls
    .filter((url) => url !== undefined && URL.canParse(url))
    .map((url) => new URL(url ?? '').hostname.replace(/^\[(.*)\]$/, '$1'))
    .filter((host) => host !== '')

const checkHost = async (host: string, setting: DoctorSetting): Promise<Diagnosis[]> => {
  try {
    await lookup(host)
    return []
  } catch (error) {
    const { code = 'unknown' } = error as { code?: string }
    return [
      failed(
        `${host} does not resolve (${code}).`,
        `Create the record, correct ${setting}, or repair the DNS server of this machine.`,
      ),
    ]
  }
}

const checkMailRecords = async (
  settings: Settings,
  servers: readonly string[] | undefined,
): Promise<Diagnosis[]> => {
  const dns = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES })
  if (servers !== undefined) dns.setServers(servers)
  const results = await Promise.all([
    checkSenderPolicy(dns, settings),
    checkSignature(dns, settings),
  ])
  return results.filter((result) => result !== null)
}

const checkSenderPolicy = async (dns: Resolver, settings: Settings): Promise<Diagnosis | null> => {
  const { MAIL_FROM, BASE_URL } = settings
  const domain = MAIL_FROM?.split('@')[1] ?? hostnames([BASE_URL])[0]
  if (domain === undefined || isIP(domain) !== 0) return null
  const texts = await textsOf(dns, domain)
  if (texts === null || texts.some((text) => text.startsWith('v=spf1'))) return null
  return warning(
    `The sender domain ${domain} has no SPF record.`,
    'Add a TXT record such as `v=spf1 include:… -all` that names the mail server.',
  )
}

const checkSignature = async (dns: Resolver, settings: Settings): Promise<Diagnosis | null> => {
  const { DKIM_DOMAIN: domain, DKIM_SELECTOR: selector, DKIM_PRIVATE_KEY: key } = settings
  if (domain === undefined || selector === undefined || key === undefined) return null
  const name = `${selector}._domainkey.${domain}`
  const expected = publicKeyOf(key)
  if (expected === null) {
    return failed('DKIM_PRIVATE_KEY is not a private key in PEM.', 'Correct the setting.')
  }
  const texts = await textsOf(dns, name)
  if (texts === null) return null
  const published = texts.map((text) => /(?:^|;)\s*p=([^;]*)/.exec(text)?.[1]?.replace(/\s/g, ''))
  if (published.includes(expected)) return null
  return failed(
    `The record ${name} does not contain the public key of DKIM_PRIVATE_KEY.`,
    `Publish it: a TXT record of ${name} with \`v=DKIM1; p=${expected}\`.`,
  )
}

const publicKeyOf = (pem: string): string | null => {
  try {
    const key = createPublicKey(pem.replaceAll('\\n', '\n'))
    const isEd25519 = key.asymmetricKeyType === 'ed25519'
    // RFC 8463 publishes the 32 bytes of the key alone, the end of its SPKI form.
    const der = key.export({ type: 'spki', format: 'der' })
    return (isEd25519 ? der.subarray(-32) : der).toString('base64')
  } catch {
    return null
  }
}

const ABSENT: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA'])

/** TXT records, each joined; null when no server responds, which the check of the hosts reports. */
const textsOf = async (dns: Resolver, name: string): Promise<string[] | null> => {
  try {
    return (await dns.resolveTxt(name)).map((parts) => parts.join(''))
  } catch (error) {
    return ABSENT.has((error as { code?: string }).code ?? '') ? [] : null
  }
}
