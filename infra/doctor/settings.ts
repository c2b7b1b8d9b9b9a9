/** Settings that the doctor reads: those of a service, all optional. */
import { type Environment, settingTexts } from '@status-page/service/config'

const names = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_CA',
  'DATABASE_ROLE_PREFIX',
  'NATS_URL',
  'NATS_CA',
  'NATS_CREDENTIALS',
  'NATS_PREFIX',
  'SMTP_URL',
  'MAIL_FROM',
  'DKIM_DOMAIN',
  'DKIM_SELECTOR',
  'DKIM_PRIVATE_KEY',
  'BASE_URL',
  'DATA_DIR',
  'MAIL_DIR',
  'PAGE_CACHE_DIR',
] as const

export type DoctorSetting = (typeof names)[number]
export type Settings = Readonly<Partial<Record<DoctorSetting, string>>>

/** Throws `ConfigError` with one sentence per file that cannot be read. */
export const readSettings = (environment: Environment): Settings => settingTexts(names, environment)

/** Settings whose value is a secret, or a URL with one. */
const secretSettings: readonly DoctorSetting[] = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'NATS_URL',
  'NATS_CREDENTIALS',
  'SMTP_URL',
  'DKIM_PRIVATE_KEY',
]
/** Shorter texts would mask parts of words. */
const MIN_SECRET_CHARACTERS = 4
const MASK = '***'

/** Returns a function that masks the secrets of the settings, because messages quote servers. */
export const secretMask = (settings: Settings): ((text: string) => string) => {
  const secrets = secretSettings
    .flatMap((name) => secretsIn(settings[name] ?? ''))
    .filter(({ length }) => length >= MIN_SECRET_CHARACTERS)
    .toSorted((left, right) => right.length - left.length)
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text)
}

/** The text itself, and the passwords of its URLs, encoded and decoded. */
const secretsIn = (text: string): string[] => {
  const passwords = [...text.matchAll(/:\/\/[^/?#@]*?:([^/?#]*)@/g)].map(([, found = '']) => found)
  return [text, ...passwords, ...passwords.map(decoded)]
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
