/** nats-server with JetStream as a child process on loopback, one user per service. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type NatsNames, natsNames } from '@status-page/bus/nats-names'
import { type ServiceName, services } from '@status-page/contracts'
import { natsPermissionsOf } from '../nats/permissions.ts'
import { openLogFile } from './log-file.ts'
import { freePort } from './ports.ts'
import type { Reaper } from './reaper.ts'
import { StartError } from './start-error.ts'
import { stopOrphan } from './stop-orphan.ts'
import { SupervisedProcess } from './supervisor.ts'

const STOP_TIMEOUT_MS = 10_000
const PROBE_TIMEOUT_MS = 1_000
/** Above the sum of the streams' limits; otherwise the server refuses to create them. */
const MAX_STORE = '2GB'

export interface NatsOptions {
  program: string
  dataFolder: string
  /** `NATS_PREFIX`; empty for none. */
  prefix: string
  passwords: Record<ServiceName, string>
  reaper: Reaper
  autoRestart: boolean
  log(line: string): void
}

export interface LocalNats {
  readonly pid: number | undefined
  /** URL with the user of this service. */
  urlOf(service: ServiceName): string
  storeDir: string
  kill(signal?: NodeJS.Signals): Promise<void>
  stop(): Promise<void>
  abort(): Promise<void>
  /** Resolves when the server accepts connections again. */
  restart(): Promise<void>
  /** Kills the server, deletes its whole store, starts it again. */
  wipe(): Promise<void>
}

export async function startNats(options: NatsOptions): Promise<LocalNats> {
  const names = namesOf(options.prefix)
  const folder = join(options.dataFolder, 'nats')
  const storeDir = join(folder, 'store')
  const config = join(folder, 'server.conf')
  mkdirSync(storeDir, { recursive: true, mode: 0o700 })
  await stopOrphan(join(folder, 'server.pid'), config, 'SIGTERM')
  const port = await freePort()
  writeFileSync(config, configuration(options, folder, port), { mode: 0o600 })
  const server = new SupervisedProcess({
    name: 'nats',
    command: options.program,
    parameters: ['-c', config],
    environment: { PATH: process.env.PATH ?? '', ...passwordVariables(options) },
    folder,
    guard: options.reaper,
    logFile: openLogFile(join(options.dataFolder, 'logs/nats.log')),
    stopSignal: 'SIGTERM',
    stopTimeoutMs: STOP_TIMEOUT_MS,
    autoRestart: options.autoRestart,
    probe: () => isListening(port),
    log: options.log,
  })
  server.start()
  await server.waitReady()
  const urlOf = (service: ServiceName) =>
    `nats://${names.user(service)}:${options.passwords[service]}@127.0.0.1:${port}`
  return toLocalNats(server, storeDir, urlOf)
}

/** URL of a server that was started in the data folder, from its configuration; null without one. */
export function configuredNatsUrl(
  dataFolder: string,
  { user, password }: { user: string; password: string },
): string | null {
  const config = join(dataFolder, 'nats/server.conf')
  const text = existsSync(config) ? readFileSync(config, 'utf8') : ''
  const port = /^port: (\d+)$/m.exec(text)?.[1]
  return port === undefined ? null : `nats://${user}:${password}@127.0.0.1:${port}`
}

function namesOf(prefix: string): NatsNames {
  try {
    return natsNames(prefix)
  } catch (error) {
    throw new StartError(`${(error as Error).message}.`)
  }
}

function toLocalNats(
  server: SupervisedProcess,
  storeDir: string,
  urlOf: LocalNats['urlOf'],
): LocalNats {
  const restart = async () => {
    await server.restart()
    await server.waitReady()
  }
  return {
    get pid() {
      return server.pid
    },
    urlOf,
    storeDir,
    kill: (signal) => server.kill(signal),
    stop: () => server.stop(),
    abort: () => server.abort(),
    restart,
    async wipe() {
      await server.abort()
      rmSync(storeDir, { recursive: true, force: true })
      mkdirSync(storeDir, { mode: 0o700 })
      await restart()
    },
  }
}

function configuration({ program, prefix }: NatsOptions, folder: string, port: number): string {
  const sync = isAtLeast210(program) ? '  sync_interval: "1s"\n' : ''
  return `host: "127.0.0.1"
port: ${port}
server_name: "local"
pid_file: ${JSON.stringify(join(folder, 'server.pid'))}
jetstream {
  store_dir: ${JSON.stringify(join(folder, 'store'))}
  max_file: ${MAX_STORE}
${sync}}
${natsPermissionsOf([prefix])}`
}

function passwordVariables({ passwords, prefix }: NatsOptions): Record<string, string> {
  const { passwordVariable } = natsNames(prefix)
  return Object.fromEntries(services.map((name) => [passwordVariable(name), passwords[name]]))
}

/** `sync_interval` exists since 2.10; older servers refuse the option. */
function isAtLeast210(program: string): boolean {
  const text = execFileSync(program, ['--version'], { encoding: 'utf8' })
  const [major = 0, minor = 0] = (/v(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number)
  return major > 2 || (major === 2 && minor >= 10)
}

/** Returns whether a NATS server listens: the protocol begins with its message `INFO {…}`. */
function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: PROBE_TIMEOUT_MS })
    const settle = (isServer: boolean) => {
      socket.destroy()
      resolve(isServer)
    }
    socket.once('data', (data) => settle(data.toString('latin1').startsWith('INFO')))
    socket.once('error', () => settle(false))
    socket.once('timeout', () => settle(false))
    socket.once('close', () => settle(false))
  })
}
