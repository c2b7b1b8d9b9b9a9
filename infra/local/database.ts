/** The database of a local stack: its schemas and roles, and the URL of each service. */
import { join } from 'node:path'
import { type ServiceName, services } from '@status-page/contracts'
import { migrateAll, serviceUrl } from '@status-page/postgres'
import type { Secrets } from './secrets.ts'
import type { EnvironmentVariables } from './settings.ts'
import { StartError } from './start-error.ts'

interface Settings {
  secrets: Secrets
  env: EnvironmentVariables | undefined
}

export async function migrateDatabase(
  adminUrl: string,
  servicesFolder: string,
  { secrets, env }: Settings,
): Promise<void> {
  const list = services.map((name) => ({
    name,
    folder: join(servicesFolder, name, 'migrations'),
    password: secrets.databasePasswords[name],
  }))
  try {
    await migrateAll({
      adminUrl,
      ca: env?.DATABASE_CA || undefined,
      services: list,
      rolePrefix: rolePrefixOf(env),
    })
  } catch (error) {
    throw new StartError(`The database could not be migrated: ${(error as Error).message}`)
  }
}

export function databaseUrlOf(
  adminUrl: string,
  service: ServiceName,
  { secrets, env }: Settings,
): string {
  return serviceUrl(adminUrl, service, secrets.databasePasswords[service], rolePrefixOf(env))
}

/** An empty setting means the default. */
function rolePrefixOf(env: EnvironmentVariables | undefined): string | undefined {
  return env?.DATABASE_ROLE_PREFIX || undefined
}
