/**
 * The whole service on one machine: Postgres, NATS and the six services, each a process of its own.
 * `npm start` and the end-to-end tests run this very code. Invariant: after `stop()`, or a failed start,
 * no process of the stack is left.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { services as allServices, type ServiceName } from '@status-page/contracts'
import { migrateAll, serviceUrl } from '@status-page/postgres'
import { type DataFolder, openDataFolder, removeFolder } from './data-folder.ts'
import { type NatsServer, startNats } from './nats.ts'
import { findNatsServer } from './nats-program.ts'
import { bindFault, freePort } from './ports.ts'
import { clusterExists, type PostgresServer, startPostgres } from './postgres.ts'
import { type Reaper, startReaper } from './reaper.ts'
import { loadSecrets, type Secrets } from './secrets.ts'
import { startService } from './service-process.ts'
import { type Environment, inheritedEnvironment, serviceEnvironment } from './settings.ts'
import { StartError } from './start-error.ts'
import type { Supervised } from './supervised.ts'

const defaultServicesFolder = fileURLToPath(new URL('../../services/', import.meta.url))

export interface StackOptions {
  dataDir: string
  /** The gateway's; a free one when left out. */
  port?: number
  host?: string
  /** Settings as the services know them (`REGISTRATION`, `RATE_LIMIT_MULTIPLIER`, …). */
  env?: Environment
  /** Which services run; all six when left out. */
  services?: readonly ServiceName[]
  /** A server of yours (a role that may create roles) instead of the embedded one. */
  databaseUrl?: string | undefined
  /** A server of yours, or null for none: events then travel through Postgres. */
  natsUrl?: string | null | undefined
  faultPoints?: Partial<Record<ServiceName, string>>
  /** Whether a crashed process comes back by itself (default), or waits for `restart`. */
  autoRestart?: boolean
  /** Tests: nothing is flushed to disk, and `stop` deletes the data folder. */
  disposable?: boolean
  /** Holds `<service>/src/main.ts` and `<service>/migrations`. */
  servicesFolder?: string
  /** What happened, one line each. */
  log(line: string): void
  /** What is being done now, and what of it is still open. */
  step?(text: string, detail?: string): void
}

export interface StackProcess {
  readonly pid: number | undefined
  readonly origin: string
  /** Resolves once the process is gone (at once for SIGSTOP and SIGCONT). */
  kill(signal?: NodeJS.Signals): Promise<void>
  stop(): Promise<void>
  /** Stops it if it runs, starts it with these variables on top; follow with `waitReady`. */
  restart(environment?: Environment): Promise<void>
  waitReady(timeoutMs?: number): Promise<void>
}

export interface Stack {
  baseUrl: string
  adminUrl: string
  processes: Record<ServiceName, StackProcess>
  /** Null when it is not ours to handle, or there is none. */
  nats: NatsServer | null
  /** Null when `databaseUrl` was given. */
  postgres: Pick<Supervised, 'pid' | 'kill' | 'restart' | 'waitReady'> | null
  logFolder: string
  /** One more process of a service, on a port of its own; it ends with the stack. */
  replicate(service: ServiceName): Promise<StackProcess>
  stop(): Promise<void>
  /** Ends everything at once, without orderly shutdown. */
  abort(): Promise<void>
}

/** Everything a start has made so far; what a failed start must take down again. */
interface Running {
  folder: DataFolder
  reaper: Reaper
  services: Map<ServiceName, Supervised>
  environments: Map<ServiceName, Environment>
  replicas: Supervised[]
  postgres: PostgresServer | null
  nats: NatsServer | null
}

export async function startStack(options: StackOptions): Promise<Stack> {
  const folder = openDataFolder(options.dataDir)
  const running: Running = {
    folder,
    reaper: startReaper(),
    services: new Map(),
    environments: new Map(),
    replicas: [],
    postgres: null,
    nats: null,
  }
  try {
    return await bringUp(running, options)
  } catch (error) {
    await takeDown(running, options)
    throw error
  }
}

async function bringUp(running: Running, options: StackOptions): Promise<Stack> {
  const { folder, services: children } = running
  const step = options.step ?? (() => {})
  const ports = await choosePorts(options)
  const secrets = loadSecrets(folder.path, clusterExists(folder.path))

  step('Starting Postgres')
  const adminUrl = await bringUpPostgres(running, options, secrets)
  step('Starting NATS')
  running.nats = await bringUpNats(running, options, secrets)
  step('Migrating the database')
  const members = allServices.filter((name) => (options.services ?? allServices).includes(name))
  await migrate(adminUrl, options, secrets)

  const baseUrl = options.env?.BASE_URL || `http://localhost:${ports.gateway}`
  for (const name of members) {
    const environment = serviceEnvironment(name, {
      environment: { ...inheritedEnvironment(process.env), ...options.env },
      secrets,
      ports,
      databaseUrl: serviceUrl(adminUrl, name, secrets.databasePasswords[name]),
      natsUrl: running.nats ? running.nats.urlOf(name) : (options.natsUrl ?? null),
      baseUrl,
      gatewayHost: options.host ?? '127.0.0.1',
      mailFolder: join(folder.path, 'mail'),
      pageFolder: join(folder.path, 'pages'),
      faultPoints: options.faultPoints?.[name],
    })
    running.environments.set(name, environment)
    children.set(
      name,
      startService({ name, environment, port: ports[name], ...place(running, options) }),
    )
  }
  await waitForAll(children, step)
  return describe(running, options, { adminUrl, baseUrl, ports })
}

/** The gateway's port is asked for by a person, so it is judged; the others only have to be free. */
async function choosePorts(options: StackOptions): Promise<Record<ServiceName, number>> {
  const ports = {} as Record<ServiceName, number>
  for (const name of allServices) ports[name] = await freePort()
  if (options.port === undefined) return ports
  const fault = await bindFault(options.host ?? '127.0.0.1', options.port)
  if (fault) {
    const reason =
      fault === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${fault})`
    throw new StartError(`Port ${options.port} ${reason}; set PORT to another one.`)
  }
  return { ...ports, gateway: options.port }
}

async function bringUpPostgres(
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

async function bringUpNats(
  { folder, reaper }: Running,
  options: StackOptions,
  secrets: Secrets,
): Promise<NatsServer | null> {
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
    passwords: secrets.natsPasswords,
    reaper,
    autoRestart: options.autoRestart ?? true,
    log: options.log,
  })
}

async function migrate(adminUrl: string, options: StackOptions, secrets: Secrets): Promise<void> {
  const servicesFolder = options.servicesFolder ?? defaultServicesFolder
  const services = allServices.map((name) => ({
    name,
    folder: join(servicesFolder, name, 'migrations'),
    password: secrets.databasePasswords[name],
  }))
  try {
    await migrateAll({ adminUrl, services })
  } catch (error) {
    throw new StartError(`The database could not be migrated: ${(error as Error).message}`)
  }
}

function place({ folder }: Running, options: StackOptions) {
  return {
    servicesFolder: options.servicesFolder ?? defaultServicesFolder,
    logFolder: join(folder.path, 'logs'),
    autoRestart: options.autoRestart ?? true,
    log: options.log,
  }
}

async function waitForAll(
  children: Map<ServiceName, Supervised>,
  step: (text: string, detail?: string) => void,
): Promise<void> {
  const waiting = new Set(children.keys())
  const tell = () => step('Waiting for the services', [...waiting].join(', '))
  tell()
  const readiness = [...children].map(async ([name, child]) => {
    await child.waitReady()
    waiting.delete(name)
    if (waiting.size > 0) tell()
  })
  await Promise.all(readiness)
}

async function takeDown(running: Running, options: StackOptions): Promise<void> {
  // Services first: they finish what they hold, which needs the other two.
  const children = [...running.services.values(), ...running.replicas]
  await Promise.all(children.map((child) => child.stop()))
  await running.nats?.stop()
  await running.postgres?.stop()
  finish(running, options)
}

async function abort(running: Running, options: StackOptions): Promise<void> {
  const { services, replicas, nats, postgres } = running
  const children = [...services.values(), ...replicas, nats, postgres?.process]
  await Promise.all(children.map((child) => child?.abort()))
  finish(running, options)
}

function finish({ folder, reaper, postgres }: Running, { disposable }: StackOptions): void {
  reaper.close()
  folder.release()
  if (!disposable) return
  postgres?.remove()
  removeFolder(folder.path)
}

interface Facts {
  adminUrl: string
  baseUrl: string
  ports: Record<ServiceName, number>
}

function describe(running: Running, options: StackOptions, facts: Facts): Stack {
  const { adminUrl, baseUrl, ports } = facts
  const processes = {} as Record<ServiceName, StackProcess>
  for (const [name, child] of running.services) {
    processes[name] = Object.assign(child, { origin: `http://127.0.0.1:${ports[name]}` })
  }
  return {
    baseUrl,
    adminUrl,
    processes,
    nats: running.nats,
    postgres: running.postgres?.process ?? null,
    logFolder: join(running.folder.path, 'logs'),
    replicate: (name) => replicate(running, options, name),
    stop: () => takeDown(running, options),
    abort: () => abort(running, options),
  }
}

async function replicate(
  running: Running,
  options: StackOptions,
  name: ServiceName,
): Promise<StackProcess> {
  const port = await freePort()
  const environment = { ...running.environments.get(name), PORT: String(port) }
  const child = startService({ name, environment, port, ...place(running, options) })
  running.replicas.push(child)
  await child.waitReady()
  return Object.assign(child, { origin: `http://127.0.0.1:${port}` })
}
