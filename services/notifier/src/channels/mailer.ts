/**
 * Mail transports: the operator's server, else a folder, else none; and the servers of channels.
 */

import { createHash } from 'node:crypto'
import {
  createFolderMailer,
  type Mailer,
  type Outbound,
  type SmtpServer,
} from '@status-page/outbound'
import { LRUCache } from 'lru-cache'
import type { DecryptedChannel, SenderSettings } from './channel.ts'

const DEFAULT_PORTS: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 }
/** Maximum number of open pools of channels; the least recently used is closed first. */
const MAX_POOLS = 100

export interface MailTransports {
  /** The operator's server, or the folder that replaces it. */
  operator: Mailer | null
  through(channel: DecryptedChannel<'email'>): Mailer
}

export const createMailTransports = (
  config: Omit<SenderSettings, 'BASE_URL'>,
  outbound: Outbound,
): MailTransports => ({
  operator: createMailer(config, outbound),
  through: channelMailers(outbound),
})

export const createMailer = (
  config: Omit<SenderSettings, 'BASE_URL'>,
  outbound: Outbound,
): Mailer | null => {
  const { SMTP_URL: smtpUrl, MAIL_DIR: folder } = config
  if (smtpUrl !== undefined) {
    return outbound.smtp({ ...serverOf(new URL(smtpUrl)), ...signatureOf(config) })
  }
  return folder === undefined ? null : createFolderMailer(folder)
}

const serverOf = (url: URL) => ({
  host: url.hostname,
  port: url.port === '' ? (DEFAULT_PORTS[url.protocol] as number) : Number(url.port),
  secure: url.protocol === 'smtps:',
  username: url.username === '' ? null : decodeURIComponent(url.username),
  password: url.password === '' ? null : decodeURIComponent(url.password),
  trusted: true,
})

/**
 * DKIM settings, all three or none; a key in one line of the environment has `\n` for its line
 * breaks.
 */
const signatureOf = (config: Omit<SenderSettings, 'BASE_URL'>): Pick<SmtpServer, 'dkim'> => {
  const { DKIM_DOMAIN: domainName, DKIM_SELECTOR: keySelector, DKIM_PRIVATE_KEY: key } = config
  if (domainName === undefined || keySelector === undefined || key === undefined) return {}
  return { dkim: { domainName, keySelector, privateKey: key.replaceAll('\\n', '\n') } }
}

const channelMailers = (outbound: Outbound) => {
  const pools = new LRUCache<string, { settings: string; mailer: Mailer }>({
    max: MAX_POOLS,
    dispose: ({ mailer }) => mailer.close(),
  })
  return ({ id, config }: DecryptedChannel<'email'>): Mailer => {
    const { smtpHost: host, smtpPort: port, secure, username, password } = config
    const server = { host, port, secure, username: username ?? null, password: password ?? null }
    const settings = createHash('sha256').update(JSON.stringify(server)).digest('base64')
    const known = pools.get(id)
    if (known?.settings === settings) return known.mailer
    const mailer = outbound.smtp(server)
    pools.set(id, { settings, mailer })
    return mailer
  }
}
