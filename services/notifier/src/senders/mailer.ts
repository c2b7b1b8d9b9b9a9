/** The way out for mail: the operator's server, else a folder, else none. */
import { folderMailer, type Mailer, type Outbound } from '@status-page/outbound'

const DEFAULT_PORTS: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 }

export const mailerOf = (
  { SMTP_URL: smtpUrl, MAIL_DIR: folder }: { SMTP_URL?: string; MAIL_DIR?: string },
  outbound: Outbound,
): Mailer | null => {
  if (smtpUrl !== undefined) return outbound.smtp(serverOf(new URL(smtpUrl)))
  return folder === undefined ? null : folderMailer(folder)
}

const serverOf = (url: URL) => ({
  host: url.hostname,
  port: url.port === '' ? (DEFAULT_PORTS[url.protocol] as number) : Number(url.port),
  secure: url.protocol === 'smtps:',
  username: url.username === '' ? null : decodeURIComponent(url.username),
  password: url.password === '' ? null : decodeURIComponent(url.password),
  trusted: true,
})
