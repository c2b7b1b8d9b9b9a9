/**
 * Migrates the databases on an external Postgres server, once per release and before the services start; exits with code 0 or
 * 1.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { databaseSchemaOf, type ServiceName, services } from '@status-page/contracts'
import { migrateAll } from '@status-page/postgres'

const servicesFolder = fileURLToPath(new URL('../../services', import.meta.url))

/** Password of a service's role, from `DATABASE_PASSWORD_CORE`, … */
function passwordOf(service: ServiceName): string {
  return required(`DATABASE_PASSWORD_${databaseSchemaOf(service).toUpperCase()}`)
}

function required(name: string): string {
  const value = process.env[name]
  if (value) return value
  console.error(`${name} is not set.`)
  process.exit(1)
}

await migrateAll({
  adminUrl: required('DATABASE_URL'),
  rolePrefix: process.env.DATABASE_ROLE_PREFIX || undefined,
  services: services.map((name) => ({
    name,
    folder: join(servicesFolder, name, 'migrations'),
    password: passwordOf(name),
  })),
  logger: { info: (details, message) => console.log(message, JSON.stringify(details)) },
})
console.log('The database is up to date.')
