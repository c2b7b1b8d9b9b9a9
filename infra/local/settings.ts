/**
 * Environment of each service process: settings of the installation, its own secrets, URLs of the
 * other services.
 */
import { databaseSchemaOf, type ServiceName, services } from '@status-page/contracts'
import { callingServices, type Secrets } from './secrets.ts'

export type EnvironmentVariables = Record<string, string>

export interface ServiceSettings {
  /** Settings of the operator; the fields below override them. */
  environment: EnvironmentVariables
  secrets: Secrets
  /** Ports of all six services, whether or not they run here. */
  ports: Record<ServiceName, number>
  databaseUrl: string
  /** URL that bypasses a pooler; null without one. */
  databaseDirectUrl?: string | null
  natsUrl: string | null
  baseUrl: string
  /** Address the gateway listens on; the others stay on loopback. */
  gatewayHost: string
  mailFolder: string
  pageFolder: string
  /** Build of the dashboard; without it the gateway serves none. */
  dashboardFolder?: string | undefined
}

/** Variables that a process inherits from its parent. */
const inherited = ['PATH', 'HOME', 'USER', 'TMPDIR', 'TZ', 'LANG', 'LC_ALL', 'NODE_EXTRA_CA_CERTS']

export function serviceEnvironment(
  service: ServiceName,
  settings: ServiceSettings,
): EnvironmentVariables {
  const { environment, secrets } = settings
  const own: Record<string, string | null | undefined> = {
    PORT: String(settings.ports[service]),
    HOST: service === 'gateway' ? settings.gatewayHost : '127.0.0.1',
    BASE_URL: settings.baseUrl,
    DATABASE_URL: settings.databaseUrl,
    DATABASE_DIRECT_URL: settings.databaseDirectUrl,
    NATS_URL: settings.natsUrl,
    ENCRYPTION_KEY: environment.ENCRYPTION_KEY || secrets.encryptionKey,
    CALLER_PUBLIC_KEYS: publicKeys(secrets),
    CALLER_PRIVATE_KEY: privateKey(service, secrets),
    SESSION_SECRET:
      service === 'gateway' ? environment.SESSION_SECRET || secrets.sessionSecret : null,
    // Only the service that uses a credential receives it.
    STATIC_EXPORT_URL: service === 'core' ? environment.STATIC_EXPORT_URL : null,
    SMTP_URL: service === 'notifier' ? environment.SMTP_URL : null,
    MAIL_DIR: service === 'notifier' && !environment.SMTP_URL ? settings.mailFolder : null,
    PAGE_CACHE_DIR:
      service === 'gateway' ? environment.PAGE_CACHE_DIR || settings.pageFolder : null,
    DASHBOARD_DIR:
      service === 'gateway' ? environment.DASHBOARD_DIR || settings.dashboardFolder : null,
    ...originsOf(settings.ports),
  }
  return withoutEmpty({ ...environment, ...own })
}

/** Variables of this process that every child inherits. */
export function inheritedEnvironment(source: NodeJS.ProcessEnv): EnvironmentVariables {
  return withoutEmpty(Object.fromEntries(inherited.map((name) => [name, source[name]])))
}

function originsOf(ports: Record<ServiceName, number>): EnvironmentVariables {
  const entries = services.map((name) => [
    `${databaseSchemaOf(name).toUpperCase()}_URL`,
    `http://127.0.0.1:${ports[name]}`,
  ])
  return Object.fromEntries(entries)
}

function publicKeys({ callerKeys }: Secrets): string {
  return JSON.stringify(
    Object.fromEntries(callingServices.map((name) => [name, callerKeys[name].publicKey])),
  )
}

function privateKey(service: ServiceName, { callerKeys }: Secrets): string | null {
  const caller = callingServices.find((name) => name === service)
  return caller ? callerKeys[caller].privateKey : null
}

/** An empty variable counts as absent, so that `.env.example` can be copied unchanged. */
function withoutEmpty(values: Record<string, string | null | undefined>): EnvironmentVariables {
  const nonEmpty = Object.entries(values).filter(
    (entry): entry is [string, string] =>
      entry[1] !== null && entry[1] !== undefined && entry[1] !== '',
  )
  return Object.fromEntries(nonEmpty)
}
