/**
 * Secrets of the local installation: generated once, stored in the data folder, readable by its
 * owner only.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ServiceName, services } from '@status-page/contracts'
import { StartError } from './start-error.ts'

/** Only these services call others, so only these have a signing key. */
export const callingServices = ['gateway', 'core', 'config-sync'] as const satisfies ServiceName[]
type CallerName = (typeof callingServices)[number]

export interface Secrets {
  /** Encryption key: 32 characters, used as its bytes. */
  encryptionKey: string
  sessionSecret: string
  superuserPassword: string
  databasePasswords: Record<ServiceName, string>
  natsPasswords: Record<ServiceName, string>
  /** Ed25519 key pairs: PKCS8 and SPKI in DER, as base64. */
  callerKeys: Record<CallerName, { privateKey: string; publicKey: string }>
}

/** `databaseExists`: true if encrypted data exist for which the secrets file is missing. */
export function loadSecrets(dataFolder: string, databaseExists: boolean): Secrets {
  const file = join(dataFolder, 'secrets.json')
  if (existsSync(file)) return readSecrets(file)
  if (databaseExists) {
    throw new StartError(
      `${file} is missing, but the existing database needs it; restore it, ` +
        `or remove ${dataFolder} to start with an empty database.`,
    )
  }
  const secrets = generateSecrets()
  writeFileSync(`${file}.new`, `${JSON.stringify(secrets, null, 2)}\n`, {
    mode: 0o600,
    flush: true,
  })
  renameSync(`${file}.new`, file)
  return secrets
}

export function generateSecrets(): Secrets {
  const perService = () =>
    Object.fromEntries(services.map((name) => [name, password()])) as Record<ServiceName, string>
  return {
    encryptionKey: randomBytes(24).toString('base64url'),
    sessionSecret: randomBytes(32).toString('base64url'),
    superuserPassword: password(),
    databasePasswords: perService(),
    natsPasswords: perService(),
    callerKeys: Object.fromEntries(
      callingServices.map((name) => [name, callerKey()]),
    ) as Secrets['callerKeys'],
  }
}

function readSecrets(file: string): Secrets {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Secrets
  } catch (error) {
    throw new StartError(`${file} cannot be read: ${(error as Error).message}.`)
  }
}

/**
 * Starts with a letter: nats-server parses a variable's value as configuration, where 12e4 is a
 * number.
 */
function password(): string {
  return `p${randomBytes(24).toString('hex')}`
}

function callerKey(): { privateKey: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  }
}
