/**
 * Migrates the databases on an external Postgres server, once per release and before the services
 * start. Waits until Postgres responds; exits with code 0, or 1 after one sentence.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { databaseSchemaOf, type ServiceName, services } from '@status-page/contracts'
import {
  connectionProblemOf,
  databaseAddressesOf,
  isUnavailable,
  migrateAll,
} from '@status-page/postgres'
import { ConfigError, settingText } from '@status-page/service/config'

const servicesFolder = fileURLToPath(new URL('../../services', import.meta.url))
const PAUSE_MS = 2_000
/** About five minutes. */
const MAX_ATTEMPTS = 150

try {
  await migrateWhenReachable(readSettings())
  console.log('The database is up to date.')
} catch (error) {
  console.error(sentenceOf(error))
  process.exit(1)
}

type Settings = Parameters<typeof migrateAll>[0]

function readSettings(): Settings {
  const directUrl = setting('DATABASE_DIRECT_URL')
  const name = directUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
  const adminUrl = directUrl ?? required('DATABASE_URL')
  try {
    databaseAddressesOf(adminUrl)
  } catch (error) {
    throw new ConfigError([`${name} cannot be used: ${(error as Error).message}.`])
  }
  return {
    adminUrl,
    ca: setting('DATABASE_CA'),
    rolePrefix: setting('DATABASE_ROLE_PREFIX'),
    services: services.map((service) => ({
      name: service,
      folder: join(servicesFolder, service, 'migrations'),
      password: passwordOf(service),
    })),
    logger: { info: (details, message) => console.log(message, JSON.stringify(details)) },
  }
}

/** Password of a service's role, from `DATABASE_PASSWORD_CORE`, … */
function passwordOf(service: ServiceName): string {
  return required(`DATABASE_PASSWORD_${databaseSchemaOf(service).toUpperCase()}`)
}

function setting(name: string): string | undefined {
  return settingText(name, process.env)
}

function required(name: string): string {
  const value = setting(name)
  if (value === undefined) throw new ConfigError([`${name} is not set.`])
  return value
}

/** A migration can be repeated, also after the connection was lost in the middle of it. */
async function migrateWhenReachable(settings: Settings): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await migrateAll(settings)
    } catch (error) {
      if (!isUnavailable(error) || attempt === MAX_ATTEMPTS) throw error
      if (attempt === 1) console.error(`Waiting for Postgres: ${(error as Error).message}`)
      await pause(PAUSE_MS)
    }
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  const { message, cause } = error as Error
  const reason = cause instanceof Error ? `${message}: ${cause.message}` : message
  return connectionProblemOf(error) ?? `The database could not be migrated: ${reason}.`
}
