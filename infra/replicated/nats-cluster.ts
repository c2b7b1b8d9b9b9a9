/**
 * Cluster of three NATS servers on loopback. Every connection of a server, from clients and from
 * the other servers, passes through links, so that a server can be partitioned or slow.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { natsNames } from '@status-page/bus/nats-names'
import { type ServiceName, services } from '@status-page/contracts'
import { openLogFile } from '../local/log-file.ts'
import { findNatsServer } from '../local/nats-program.ts'
import { freePort } from '../local/ports.ts'
import type { Reaper } from '../local/reaper.ts'
import { SupervisedProcess } from '../local/supervisor.ts'
import { natsPermissionsOf } from '../nats/permissions.ts'
import { type Link, openLink } from './link.ts'

const SERVERS = 3
const STOP_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 2_000
/** Detects a partitioned connection within 6 s; the default takes minutes. */
const PING_INTERVAL = '2s'
const PINGS_OUT = 2

export interface NatsReplica {
  readonly process: SupervisedProcess
  /** Links of all connections of this server. */
  readonly links: readonly Link[]
}

export interface ReplicatedNats {
  readonly servers: ReadonlyMap<string, NatsReplica>
  /** URLs of all servers with the user of this service. */
  urlOf(service: ServiceName): string
  /** Name of the server that leads the stream. */
  leaderOf(stream: string): Promise<string>
  abort(): Promise<void>
}

interface Addresses {
  name: string
  port: number
  routePort: number
  monitoringPort: number
  clientLink: Link
  /** Links to the other servers by their names. */
  routes: Map<string, Link>
}

export interface NatsClusterOptions {
  dataFolder: string
  reaper: Reaper
  log(line: string): void
}

interface ServerOptions extends NatsClusterOptions {
  program: string
  /** Passwords of the users. */
  environment: Record<string, string>
}

/** Rejects when the machine has no nats-server. */
export async function startNatsCluster(options: NatsClusterOptions): Promise<ReplicatedNats> {
  const program = await findNatsServer(options.dataFolder, options.log)
  if (program === null) throw new Error('A cluster needs a nats-server')
  const passwords = Object.fromEntries(
    services.map((service) => [service, `n${randomBytes(16).toString('hex')}`]),
  ) as Record<ServiceName, string>
  const names = natsNames('')
  const variables = services.map((name) => [names.passwordVariable(name), passwords[name]])
  const environment = { PATH: process.env.PATH ?? '', ...Object.fromEntries(variables) }
  const all = await chooseAddresses()
  const servers = new Map(
    all.map((addresses) => {
      const child = startServer(addresses, { ...options, program, environment })
      return [addresses.name, { process: child, links: linksOf(addresses, all) }]
    }),
  )
  await Promise.all([...servers.values()].map(({ process }) => process.waitReady()))
  return {
    servers,
    urlOf: (service) =>
      all
        .map(({ clientLink }) => clientLink.port)
        .map((port) => `nats://${names.user(service)}:${passwords[service]}@127.0.0.1:${port}`)
        .join(','),
    leaderOf: (stream) => leaderOf(stream, all),
    async abort() {
      await Promise.all([...servers.values()].map(({ process }) => process.abort()))
      const links = new Set([...servers.values()].flatMap(({ links }) => links))
      await Promise.all([...links].map((link) => link.close()))
    },
  }
}

function startServer(
  addresses: Addresses,
  { program, environment, ...options }: ServerOptions,
): SupervisedProcess {
  const { name, monitoringPort } = addresses
  const folder = join(options.dataFolder, name)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const config = join(folder, 'server.conf')
  writeFileSync(config, configurationOf(addresses, folder), { mode: 0o600 })
  const server = new SupervisedProcess({
    name,
    command: program,
    parameters: ['-c', config],
    environment,
    folder,
    guard: options.reaper,
    logFile: openLogFile(join(folder, 'server.log')),
    stopSignal: 'SIGTERM',
    stopTimeoutMs: STOP_TIMEOUT_MS,
    autoRestart: false,
    probe: async () => (await monitoringRequest(monitoringPort, 'healthz'))?.ok === true,
    log: options.log,
  })
  server.start()
  return server
}

async function chooseAddresses(): Promise<Addresses[]> {
  const all: Addresses[] = []
  for (let index = 1; index <= SERVERS; index++) {
    const port = await freePort()
    all.push({
      name: `nats-${index}`,
      port,
      routePort: await freePort(),
      monitoringPort: await freePort(),
      clientLink: await openLink(port),
      routes: new Map(),
    })
  }
  for (const { name, routes } of all) {
    for (const other of all) {
      if (other.name !== name) routes.set(other.name, await openLink(other.routePort))
    }
  }
  return all
}

/** Links of a server: from its clients, to the other servers and from them. */
function linksOf({ name, clientLink, routes }: Addresses, all: readonly Addresses[]): Link[] {
  const incoming = all.map((other) => other.routes.get(name)).filter((link) => link !== undefined)
  return [clientLink, ...routes.values(), ...incoming]
}

/** The addresses of other servers are not advertised: they would bypass the links. */
function configurationOf(
  { name, port, routePort, monitoringPort, routes }: Addresses,
  folder: string,
): string {
  return `host: "127.0.0.1"
port: ${port}
http: "127.0.0.1:${monitoringPort}"
server_name: ${JSON.stringify(name)}
ping_interval: "${PING_INTERVAL}"
ping_max: ${PINGS_OUT}
jetstream {
  store_dir: ${JSON.stringify(join(folder, 'store'))}
  max_file: 2GB
}
cluster {
  name: "status-page"
  host: "127.0.0.1"
  port: ${routePort}
  no_advertise: true
  routes: [${[...routes.values()].map(({ port }) => `"nats-route://127.0.0.1:${port}"`).join(', ')}]
}
${natsPermissionsOf([''])}`
}

interface StreamDetails {
  account_details?: {
    stream_detail?: { name: string; cluster?: { leader?: string } }[]
  }[]
}

async function leaderOf(stream: string, all: readonly Addresses[]): Promise<string> {
  for (const { name, monitoringPort } of all) {
    const response = await monitoringRequest(monitoringPort, 'jsz?accounts=true&streams=true')
    const details = response?.ok ? ((await response.json()) as StreamDetails) : {}
    const streams = (details.account_details ?? []).flatMap(
      (account) => account.stream_detail ?? [],
    )
    // A server may still name a leader that is gone; the leader names itself.
    if (streams.some((found) => found.name === stream && found.cluster?.leader === name))
      return name
  }
  throw new Error(`No server leads the stream ${stream}`)
}

/** Null while the server does not respond. */
async function monitoringRequest(port: number, path: string): Promise<Response | null> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  return fetch(`http://127.0.0.1:${port}/${path}`, { signal }).catch(() => null)
}
