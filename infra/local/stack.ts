/**
 * The whole service on one machine: Postgres, NATS and the six services, each a process of its own.
 * `npm start` and the end-to-end tests run this code. Invariant: after `stop()`, or a failed start,
 * no process of the stack runs.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { services as allServices, type ServiceName } from '@status-page/contracts'
import { serviceBundles } from './builds.ts'
import { type DataFolder, openDataFolder, removeFolder } from './data-folder.ts'
import { databaseUrlOf, migrateDatabase } from './database.ts'
import { type LocalNats, startNats } from './nats.ts'
import { findNatsServer } from './nats-program.ts'
import { bindErrorCode, freePort } from './ports.ts'
import { clusterExists, type PostgresServer, startPostgres } from './postgres.ts'
import { type Reaper, startReaper } from './reaper.ts'
import { loadSecrets, type Secrets } from './secrets.ts'
import { startService } from './service-process.ts'
import { type EnvironmentVariables, inheritedEnvironment, serviceEnvironment } from './settings.ts'
import { StartError } from './start-error.ts'
import type { SupervisedProcess } from './supervisor.ts'

/** Link for the first account in the output of the gateway. */
const SETUP_URL = /\bhttps?:\/\/\S+\/setup\?token=[\w-]+/

const defaultServicesFolder = fileURLToPath(new URL('../../services/', import.meta.url))

export interface StackOptions {
  dataDir: string
  /** Port of the gateway; a free one by default. */
  port?: number
  host?: string
  /** Settings by the names of the services (`REGISTRATION`, `RATE_LIMIT_MULTIPLIER`, …). */
  env?: EnvironmentVariables
  /** Services to run; all six by default. */
  services?: readonly ServiceName[]
  /** An existing server (with a role that may create roles) instead of the embedded one. */
  databaseUrl?: string | undefined
  /**
   * An existing server, for each service if it has a user of its own, or null for none: events then
   * travel through Postgres.
   */
  natsUrl?: string | ((service: ServiceName) => string) | null | undefined
  /** Settings of single services; they override those of all. */
  serviceEnv?: Partial<Record<ServiceName, EnvironmentVariables>> | undefined
  /** True (default): a crashed process is restarted; false: it waits for `restart`. */
  autoRestart?: boolean
  /** For tests: nothing is flushed to disk, and `stop` deletes the data folder. */
  disposable?: boolean
  /** For tests: services start with less processor time and use more memory. */
  isShortLived?: boolean
  /** Build of the dashboard; none by default. */
  dashboardFolder?: string
  /**
   * For tests: folder with `<service>/src/main.ts` and `<service>/migrations`. By default, bundles of
   * the services of the repository run.
   */
  servicesFolder?: string
  /** Receives a line for each exit of a process and each warning. */
  log(line: string): void
  /** Receives the current step and its open parts. */
  step?(text: string, detail?: string): void
}

/** Version of the services. */
export interface Release {
  servicesFolder: string
  /** Folder of its bundles; null: the sources run. */
  bundleFolder: string | null
}

export interface StackProcess {
  readonly pid: number | undefined
  readonly origin: string
  /** Resolves once the process has exited (immediately for SIGSTOP and SIGCONT). */
  kill(signal?: NodeJS.Signals): Promise<void>
  stop(): Promise<void>
  /**
   * Stops the process if it runs and starts it with these additional variables; call `waitReady`
   * next.
   */
  restart(environment?: EnvironmentVariables): Promise<void>
  waitReady(timeoutMs?: number): Promise<void>
}

export interface Stack {
  baseUrl: string
  adminUrl: string
  processes: Record<ServiceName, StackProcess>
  /** Link for the first account, printed by the gateway; null once an account exists. */
  setupUrl: string | null
  /** Null when the server is external, or absent. */
  nats: LocalNats | null
  /** Null when `databaseUrl` was given. */
  postgres: Pick<SupervisedProcess, 'pid' | 'kill' | 'restart' | 'waitReady'> | null
  logFolder: string
  /**
   * Starts one more process of a service with its current variables, on a port of its own; it stops
   * with the stack.
   */
  replicate(service: ServiceName, release?: Release): Promise<StackProcess>
  /** Migrates the database to the schema of another version, or of this one. */
  migrate(release?: Release): Promise<void>
  stop(): Promise<void>
  /** Kills everything without orderly shutdown. */
  abort(): Promise<void>
}

/** Processes started so far, which a failed start must stop. */
interface Running {
  folder: DataFolder
  release: Release
  reaper: Reaper
  services: Map<ServiceName, SupervisedProcess>
  replicas: SupervisedProcess[]
  postgres: PostgresServer | null
  nats: LocalNats | null
  setupUrl: string | null
}

export async function startStack(options: StackOptions): Promise<Stack> {
  const folder = openDataFolder(options.dataDir)
  const running: Running = {
    folder,
    release: {
      servicesFolder: options.servicesFolder ?? defaultServicesFolder,
      bundleFolder: null,
    },
    reaper: startReaper(),
    services: new Map(),
    replicas: [],
    postgres: null,
    nats: null,
    setupUrl: null,
  }
  try {
    return await startAll(running, options)
  } catch (error) {
    await stopAll(running, options)
    throw error
  }
}

async function startAll(running: Running, options: StackOptions): Promise<Stack> {
  const { folder, services: children } = running
  const step = options.step ?? (() => {})
  const ports = await choosePorts(options)
  const secrets = loadSecrets(folder.path, clusterExists(folder.path))

  if (options.servicesFolder === undefined) {
    step('Building the services')
    running.release.bundleFolder = await serviceBundles()
  }
  step('Starting Postgres')
  const adminUrl = await providePostgres(running, options, secrets)
  step('Starting NATS')
  running.nats = await provideNats(running, options, secrets)
  step('Migrating the database')
  const started = allServices.filter((name) => (options.services ?? allServices).includes(name))
  const { env } = options
  const directUrl = options.databaseUrl && env?.DATABASE_DIRECT_URL
  const migrate = ({ servicesFolder }: Release) =>
    migrateDatabase(directUrl || adminUrl, servicesFolder, { secrets, env })
  await migrate(running.release)

  const baseUrl = options.env?.BASE_URL || `http://localhost:${ports.gateway}`
  for (const name of started) {
    const common = serviceEnvironment(name, {
      environment: { ...inheritedEnvironment(process.env), ...options.env },
      secrets,
      ports,
      databaseUrl: databaseUrlOf(adminUrl, name, { secrets, env: options.env }),
      databaseDirectUrl: directUrl ? databaseUrlOf(directUrl, name, { secrets, env }) : null,
      natsUrl: running.nats ? running.nats.urlOf(name) : natsUrlOf(options, name),
      baseUrl,
      gatewayHost: options.host ?? '127.0.0.1',
      mailFolder: join(folder.path, 'mail'),
      pageFolder: join(folder.path, 'pages'),
      dashboardFolder: options.dashboardFolder,
    })
    children.set(
      name,
      startService({
        name,
        environment: { ...common, ...options.serviceEnv?.[name] },
        port: ports[name],
        ...processOptions(running, options),
        onLine(line) {
          running.setupUrl = SETUP_URL.exec(line)?.[0] ?? running.setupUrl
        },
      }),
    )
  }
  await waitForAll(children, step)
  return toStack(running, options, { adminUrl, baseUrl, ports, migrate })
}

function natsUrlOf({ natsUrl = null }: StackOptions, service: ServiceName): string | null {
  return typeof natsUrl === 'function' ? natsUrl(service) : natsUrl
}

/** The user chose the gateway's port, so it is validated; the others only have to be free. */
async function choosePorts(options: StackOptions): Promise<Record<ServiceName, number>> {
  const ports = {} as Record<ServiceName, number>
  for (const name of allServices) ports[name] = await freePort()
  if (options.port === undefined) return ports
  const fault = await bindErrorCode(options.host ?? '127.0.0.1', options.port)
  if (fault) {
    const reason =
      fault === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${fault})`
    throw new StartError(`Port ${options.port} ${reason}; set PORT to another one.`)
  }
  return { ...ports, gateway: options.port }
}

async function providePostgres(
  running: Running,
  options: StackOptions,
  secrets: Secrets,
): Promise<string> {
  if (options.databaseUrl) return options.databaseUrl
  running.postgres = await startPostgres({
    dataFolder: running.folder.path,
    password: secrets.superuserPassword,
    disposable: options.disposable ?? false,
    reaper: running.reaper,
    autoRestart: options.autoRestart ?? true,
    log: options.log,
  })
  return running.postgres.adminUrl
}

async function provideNats(
  { folder, reaper }: Running,
  options: StackOptions,
  secrets: Secrets,
): Promise<LocalNats | null> {
  if (options.natsUrl !== undefined) return null
  const program = await findNatsServer(folder.path, options.log)
  if (!program) {
    options.log(
      'WARNING: there is no nats-server. Everything works, but events travel through Postgres ' +
        '(bypass) and arrive about a second later; install nats-server or set NATS_URL.',
    )
    return null
  }
  return startNats({
    program,
    dataFolder: folder.path,
    prefix: options.env?.NATS_PREFIX ?? '',
    passwords: secrets.natsPasswords,
    reaper,
    autoRestart: options.autoRestart ?? true,
    log: options.log,
  })
}

function processOptions({ folder, release }: Running, options: StackOptions) {
  return {
    ...release,
    logFolder: join(folder.path, 'logs'),
    autoRestart: options.autoRestart ?? true,
    isShortLived: options.isShortLived ?? false,
    log: options.log,
  }
}

async function waitForAll(
  children: Map<ServiceName, SupervisedProcess>,
  step: (text: string, detail?: string) => void,
): Promise<void> {
  const waiting = new Set(children.keys())
  const showWaiting = () => step('Waiting for the services', [...waiting].join(', '))
  showWaiting()
  const readiness = [...children].map(async ([name, child]) => {
    await child.waitReady()
    waiting.delete(name)
    if (waiting.size > 0) showWaiting()
  })
  await Promise.all(readiness)
}

async function stopAll(running: Running, options: StackOptions): Promise<void> {
  // Services stop first: finishing their work needs Postgres and NATS.
  const children = [...running.services.values(), ...running.replicas]
  await Promise.all(children.map((child) => child.stop()))
  await running.nats?.stop()
  await running.postgres?.stop()
  releaseFolder(running, options)
}

async function abort(running: Running, options: StackOptions): Promise<void> {
  const { services, replicas, nats, postgres } = running
  const children = [...services.values(), ...replicas, nats, postgres?.process]
  await Promise.all(children.map((child) => child?.abort()))
  releaseFolder(running, options)
}

function releaseFolder({ folder, reaper, postgres }: Running, { disposable }: StackOptions): void {
  reaper.close()
  folder.release()
  if (!disposable) return
  postgres?.remove()
  removeFolder(folder.path)
}

interface StackAddresses {
  adminUrl: string
  baseUrl: string
  ports: Record<ServiceName, number>
  migrate(release: Release): Promise<void>
}

function toStack(running: Running, options: StackOptions, addresses: StackAddresses): Stack {
  const { adminUrl, baseUrl, ports, migrate } = addresses
  const processes = {} as Record<ServiceName, StackProcess>
  for (const [name, child] of running.services) {
    processes[name] = Object.assign(child, { origin: `http://127.0.0.1:${ports[name]}` })
  }
  return {
    baseUrl,
    adminUrl,
    setupUrl: running.setupUrl,
    processes,
    nats: running.nats,
    postgres: running.postgres?.process ?? null,
    logFolder: join(running.folder.path, 'logs'),
    replicate: (name, release = running.release) =>
      replicate({ ...running, release }, options, name),
    migrate: (release = running.release) => migrate(release),
    stop: () => stopAll(running, options),
    abort: () => abort(running, options),
  }
}

async function replicate(
  running: Running,
  options: StackOptions,
  name: ServiceName,
): Promise<StackProcess> {
  const port = await freePort()
  const environment = { ...running.services.get(name)?.environment, PORT: String(port) }
  const child = startService({ name, environment, port, ...processOptions(running, options) })
  running.replicas.push(child)
  await child.waitReady()
  return Object.assign(child, { origin: `http://127.0.0.1:${port}` })
}
