/**
 * Installations for tests: the real processes on free ports, in a temporary folder that is removed
 * afterwards. Consecutive test files of one process share one, unless they need settings of all
 * services.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type ServiceName, services } from '@status-page/contracts'
import { type Stack, type StackOptions, startStack } from '@status-page/infra/local'
import {
  copyInstallation,
  eventually,
  localCertificate,
  type SmtpSink,
  smtpSink,
} from '@status-page/testing'
import postgres from 'postgres'
import tap, { type Test } from 'tap'
import { type Api, apiOf } from './api.ts'

const COMMON_SETTINGS = {
  OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  /** High enough that tests about other subjects never reach a rate limit. */
  RATE_LIMIT_MULTIPLIER: '1000',
  ERASURE_SETTLE_SECONDS: '1',
}
/** A quarter of the intervals of the product preserves their proportions. */
const SHORT_INTERVALS = { BUS_INTERVAL_PERCENT: '25' }
const ERROR_LEVEL = 50
const SHOWN_LINES = 40
const REVIVE_TIMEOUT_MS = 60_000

type Settings = Partial<Record<ServiceName, Record<string, string>>>

interface Installation {
  stack: Stack
  /** Connection that can read all schemas; for assertions only. */
  admin: postgres.Sql
  smtp: SmtpSink
  /** Starts and ends of processes. */
  lines: string[]
  /** Settings of all services. */
  env: Record<string, string>
}

export interface World extends Installation {
  /** Client without a credential. */
  api: Api
  /** Time from which on errors and organizations are those of this test file. */
  since: Date
}

export interface WorldOptions {
  /** Settings of single services; an existing installation restarts them. */
  settings?: Settings
  /** Settings of all services; the installation is not shared. */
  env?: Record<string, string>
  /** Acknowledged commits survive a kill of Postgres. */
  durable?: boolean
  /**
   * Short intervals for redelivery and bypass, for tests that wait for them: idle processes
   * use 1.6 times the processor time.
   */
  hasShortIntervals?: boolean
  /** Folder for the data folder, also of its servers; processes that end there are restarted. */
  parentFolder?: string
  /** Servers that the installation uses instead of its own; it is not shared. */
  servers?: Required<Pick<StackOptions, 'databaseUrl' | 'natsUrl'>>
}

/** Options of installations that are shared among files with the same ones. */
type SharedOptions = Pick<WorldOptions, 'durable' | 'hasShortIntervals'>

interface SharedInstallation extends Installation {
  settings: Settings
  options: SharedOptions
  stop(): Promise<void>
}

/** Installation that the test files of this process share, one after the other. */
let shared: SharedInstallation | null = null
tap.teardown(() => stopShared())

const stopShared = async () => {
  await shared?.stop()
  shared = null
}

/**
 * Returns an installation whose processes run; killed ones stay down until the test starts them
 * again.
 */
export const startWorld = async (t: Test, options: WorldOptions = {}): Promise<World> => {
  const { settings = {}, durable = false, hasShortIntervals = false, ...unshared } = options
  const common = { durable, hasShortIntervals }
  const installation =
    Object.keys(unshared).length > 0
      ? await installUnshared(t, { ...unshared, ...common, settings })
      : await useShared(settings, common)
  const since = new Date()
  t.teardown(() => {
    if (t.passing()) return
    const { lines } = installation
    // The lines about processes that ended come last, because long output is cut at its beginning.
    console.error([...errorLogsOf({ ...installation, since }), ...lines].join('\n'))
  })
  return { ...installation, api: apiOf(installation.stack.baseUrl), since }
}

const installUnshared = async (t: Test, options: WorldOptions): Promise<Installation> => {
  await stopShared()
  const { stop, ...installation } = await install(options)
  t.teardown(stop)
  return installation
}

const useShared = async (settings: Settings, options: SharedOptions): Promise<Installation> => {
  if (!isDeepStrictEqual(shared?.options, options)) await stopShared()
  shared ??= { ...(await install({ ...options, settings })), options, settings }
  await revive(shared.stack, changesOf(shared, settings))
  shared.settings = settings
  shared.smtp.mails.length = 0
  return shared
}

/** Variables to set for each service; an empty one counts as absent. */
const changesOf = (
  { settings: before, env }: Pick<SharedInstallation, 'settings' | 'env'>,
  after: Settings,
): Settings =>
  Object.fromEntries(
    services
      .filter((name) => !isDeepStrictEqual(before[name], after[name]))
      .map((name) => {
        const reset = Object.keys(before[name] ?? {}).map((key) => [key, env[key] ?? ''])
        return [name, { ...Object.fromEntries(reset), ...after[name] }]
      }),
  )

/** Starts what an earlier test file has killed, and restarts services whose settings change. */
const revive = async ({ postgres, nats, processes }: Stack, changes: Settings): Promise<void> => {
  if (postgres?.pid === undefined) {
    // Child processes of the killed server hold the shared memory a moment longer.
    const start = async () => {
      await postgres?.restart()
      await postgres?.waitReady()
      return true
    }
    await eventually(start, { timeoutMs: REVIVE_TIMEOUT_MS })
  }
  if (nats?.pid === undefined) await nats?.restart()
  for (const name of services) {
    const isKilled = processes[name].pid === undefined
    if (!isKilled && changes[name] === undefined) continue
    await processes[name].restart({ FAULT_POINT: '', ...changes[name] })
  }
  await Promise.all(services.map((name) => processes[name].waitReady()))
}

const install = async (
  options: WorldOptions,
): Promise<Installation & { stop(): Promise<void> }> => {
  const teardowns: (() => unknown)[] = []
  const lines: string[] = []
  const smtp = await smtpSink({ teardown: (work) => teardowns.push(work) })
  const dataDir = mkdtempSync(join(options.parentFolder ?? tmpdir(), 'status-page-e2e-'))
  if (options.servers === undefined) await copyInstallation(dataDir)
  if (options.parentFolder !== undefined) chmodSync(dataDir, 0o755)
  const authorities = join(dataDir, 'authorities.pem')
  writeFileSync(authorities, localCertificate().cert)
  const env = {
    SMTP_URL: smtp.url,
    // A custom authority, configured as an operator would.
    NODE_EXTRA_CA_CERTS: authorities,
    ...COMMON_SETTINGS,
    ...(options.hasShortIntervals === true ? SHORT_INTERVALS : {}),
    ...options.env,
  }
  const stack = await startStack({
    dataDir,
    disposable: options.durable !== true,
    // The soak test, which uses servers of its own, measures memory.
    isShortLived: options.servers === undefined,
    autoRestart: options.parentFolder !== undefined,
    serviceEnv: options.settings,
    log: (line) => lines.push(line),
    ...options.servers,
    env,
  })
  const admin = postgres(stack.adminUrl, {
    max: 2,
    onnotice: () => {},
    target_session_attrs: 'read-write',
  })
  const stop = async () => {
    await admin.end({ timeout: 1 })
    await stack.abort()
    for (const work of teardowns) await work()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { stack, admin, smtp, lines, env, stop }
}

/** Returns the errors that services have logged; a healthy installation logs none. */
export const errorLogsOf = ({ stack, since }: Pick<World, 'stack' | 'since'>): string[] =>
  readdirSync(stack.logFolder)
    .filter((name) => name.endsWith('.log'))
    .flatMap((name) => readFileSync(join(stack.logFolder, name), 'utf8').split('\n'))
    .filter((line) => line.startsWith('{') && isError(line, since))
    .slice(-SHOWN_LINES)

const isError = (line: string, since: Date): boolean => {
  try {
    const { level, time } = JSON.parse(line)
    return Number(level) >= ERROR_LEVEL && new Date(time) >= since
  } catch {
    // The last line was cut off by a kill.
    return false
  }
}

const START_ATTEMPTS = 3

/**
 * Restarts the service with a fault point at which it kills itself; repeats the start when the
 * fault strikes before the service is ready.
 */
export const restartWithFault = async (
  { stack }: World,
  service: ServiceName,
  faultPoint: string,
): Promise<void> => {
  const child = stack.processes[service]
  for (let attempt = 1; ; attempt++) {
    try {
      await child.restart({ FAULT_POINT: faultPoint })
      return await child.waitReady()
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error
    }
  }
}

/** Waits until the fault has killed the service, then starts it without the fault. */
export const reviveAfterFault = async ({ stack }: World, service: ServiceName): Promise<void> => {
  const process = stack.processes[service]
  await eventually(() => process.pid === undefined, { timeoutMs: 30_000 })
  await process.restart({ FAULT_POINT: '' })
  await process.waitReady()
}

export const killAndRevive = async ({ stack }: World, service: ServiceName): Promise<void> => {
  const process = stack.processes[service]
  await process.kill('SIGKILL')
  await process.restart({ FAULT_POINT: '' })
  await process.waitReady()
}
