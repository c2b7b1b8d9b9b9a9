/** Validates the URL, branch and path of a repository. Pure; no part can begin with a dash. */
import { checkSshServer, checkUrl, type OutboundPolicy } from '@status-page/outbound'

export interface Remote {
  scheme: 'https' | 'ssh'
  /** URL for git; the scp form is rewritten. */
  url: string
  host: string
  port: number
  /** Path without surrounding slashes and `.git`, such as `acme/status`. */
  name: string
}

export type RemoteParseResult = { ok: true; remote: Remote } | { ok: false; message: string }

export const SSH_PORT = 22
const HTTPS_PORT = 443
const LAST_PORT = 65_535
const SSH_USER = 'git'

export const parseRemote = (text: string, policy: OutboundPolicy): RemoteParseResult => {
  const ssh = sshParts(text)
  return ssh === null ? parseHttps(text, policy) : parseSsh(ssh, policy)
}

const PATH = /^\/[\w.~+%@-]+(?:\/[\w.~+%@-]+)*\/?$/

const parseHttps = (text: string, policy: OutboundPolicy): RemoteParseResult => {
  if (!/^https:\/\//i.test(text)) {
    return invalidRemote('must begin with https://, ssh://git@ or git@')
  }
  const verdict = checkUrl(text, policy, { schemes: ['https'] })
  if (!verdict.ok) return invalidRemote(verdict.message)
  const { url } = verdict
  if (url.search !== '' || !isPath(url.pathname)) return invalidRemote('has no valid path')
  const port = url.port === '' ? HTTPS_PORT : Number(url.port)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const { href, pathname } = url
  return { ok: true, remote: { scheme: 'https', url: href, host, port, name: nameOf(pathname) } }
}

interface SshParts {
  host: string
  port: number
  path: string
}

/** Parses `ssh://git@host[:port]/path` and `git@host:path`; returns null for any other text. */
const sshParts = (text: string): SshParts | null => {
  const url = /^ssh:\/\/git@(\[[^\]]+\]|[^/:@]+)(?::(\d{1,5}))?(\/.*)$/.exec(text)
  const scp = url === null ? /^git@(\[[^\]]+\]|[^/:@]+):(.*)$/.exec(text) : null
  const [, host, ...rest] = url ?? scp ?? []
  if (host === undefined) return null
  const path = (url === null ? rest[0] : rest[1]) ?? ''
  const port = url !== null && rest[0] !== undefined ? Number(rest[0]) : SSH_PORT
  return { host: host.replace(/^\[|\]$/g, ''), port, path: path.replace(/^\/*/, '/') }
}

const parseSsh = ({ host, port, path }: SshParts, policy: OutboundPolicy): RemoteParseResult => {
  const verdict = checkSshServer({ host, port }, policy)
  if (!verdict.ok) return invalidRemote(verdict.message)
  if (port > LAST_PORT) return invalidRemote('has no valid port')
  if (!isPath(path)) return invalidRemote('has no valid path')
  const name = verdict.host.includes(':') ? `[${verdict.host}]` : verdict.host
  const at = port === SSH_PORT ? name : `${name}:${port}`
  const url = `ssh://${SSH_USER}@${at}${path}`
  return { ok: true, remote: { scheme: 'ssh', url, host: verdict.host, port, name: nameOf(path) } }
}

const isPath = (path: string): boolean =>
  PATH.test(path) && path.split('/').every((part) => !/^(?:-|\.\.?$)/.test(part))

const nameOf = (path: string): string => path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')

const invalidRemote = (message: string): RemoteParseResult => ({ ok: false, message })

/** Rules of `git check-ref-format`, restricted to this alphabet. */
export const isBranchName = (text: string): boolean =>
  text !== 'HEAD' &&
  /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/.test(text) &&
  !/\.\.|\/\/|\/\.|[./]$|\.lock(?:\/|$)/.test(text)

/** Accepts a relative path of plain segments that ends in .yaml or .yml. */
export const isConfigPath = (text: string): boolean =>
  /\.ya?ml$/.test(text) &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  !/[\u0000-\u001f\u007f\\:]/.test(text) &&
  text.isWellFormed() &&
  text.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part[0] !== '-')
