/**
 * URL of a database: one host, or the hosts of a replicated server, of which the primary is used.
 * `URL` refuses several hosts, so that the parts are found by a pattern.
 */
import type { ServiceName } from '@status-page/contracts'
import { rolesOf } from './role-names.ts'

const DEFAULT_PORT = 5_432
const MAX_PORT = 65_535
const MAX_HOSTS = 10

export interface DatabaseAddress {
  host: string
  port: number
}

const urlPattern = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^@/?#]+)((?:\/[^?#]*)?(?:\?[^#]*)?)$/
const hostPattern = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i

/** Addresses in the order of the URL; throws a sentence that contains no part of the URL. */
export const databaseAddressesOf = (url: string): DatabaseAddress[] => {
  const hosts = urlPattern.exec(url)?.[3]?.split(',') ?? []
  const addresses = hosts.map(addressOf).filter((address) => address !== null)
  if (addresses.length === 0 || addresses.length < hosts.length || hosts.length > MAX_HOSTS) {
    throw new Error(
      'it must have the form postgres://user:password@host:5432/database, with at most ' +
        `${MAX_HOSTS} hosts, separated by commas, and special characters percent-encoded`,
    )
  }
  if (/[?&]sslrootcert=(?!system\b)/.test(url)) {
    throw new Error('sslrootcert is not supported: set DATABASE_CA, or DATABASE_CA_FILE')
  }
  if (/[?&]target_session_attrs=(?!read-write\b|primary\b)/.test(url)) {
    throw new Error('target_session_attrs must be read-write or primary: services write')
  }
  return addresses
}

const addressOf = (text: string): DatabaseAddress | null => {
  const [, host, port = DEFAULT_PORT] = hostPattern.exec(text) ?? []
  if (host === undefined || Number(port) > MAX_PORT) return null
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
}

/** URL of the service's role in the same database. */
export const serviceUrl = (
  adminUrl: string,
  service: ServiceName,
  password: string,
  rolePrefix?: string,
): string => {
  databaseAddressesOf(adminUrl)
  const user = rolesOf(rolePrefix).login(service)
  const credentials = `${user}:${encodeURIComponent(password)}`
  return adminUrl.replace(urlPattern, (_url, scheme: string, _user, hosts: string, rest: string) =>
    [scheme, credentials, '@', hosts, rest].join(''),
  )
}
