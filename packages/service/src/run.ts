/**
 * Life cycle of a service process: settings, connections, jobs, and a stop without loss. With the
 * argument `requeue` the process runs that command and exits.
 */

import type { AddressInfo } from 'node:net'
import type { Static, TObject } from '@sinclair/typebox'
import {
  type Bus,
  busMetricHelp,
  busMetrics,
  createBus,
  type EventHandler,
  scaledIntervals,
} from '@status-page/bus'
import { withTimeout } from '@status-page/concurrency'
import type { ServiceName } from '@status-page/contracts'
import {
  type Database,
  type Job,
  type JobRunner,
  readDue,
  type SchemaState,
  sharedTableRetention,
  startJobs,
} from '@status-page/postgres'
import type { Tracing } from '@status-page/tracing/start'
import type { FastifyInstance } from 'fastify'
import { collectStartupGarbage } from './collect-garbage.ts'
import { type BaseConfig, ConfigError, type Environment, loadConfig } from './config.ts'
import { endProcess } from './end-process.ts'
import { createLogger, type Logger } from './logger.ts'
import { runRequeueCommand } from './requeue-command.ts'
import { openResources, type Resources } from './resources.ts'
import { runWhenAvailable, schemaReader, waitForDatabase } from './wait-for-database.ts'

const DRAIN_TIMEOUT_MS = 20_000
const STOP_WORK_TIMEOUT_MS = 20_000
/** Maximum time for the last spans: a collector must not delay a stop. */
const EXPORT_TIMEOUT_MS = 2_000

export interface BackgroundWork {
  start(): Promise<void>
  stop(): Promise<void>
}

/** Parts of a service, built from its resources. */
export interface ServiceApp {
  http: FastifyInstance
  /** Restores what the service can serve before Postgres responds. */
  restore?: () => Promise<void>
  /** Statements before the bus and the jobs start. */
  prepare?: () => Promise<void>
  eventHandlers: readonly EventHandler[]
  jobs: readonly Job[]
  /** Jobs that use the bus. */
  jobsWithBus?: (bus: Pick<Bus, 'purge'>) => readonly Job[]
  /** NOTIFY channel → names of the jobs that it wakes, on every replica. */
  wakeOn?: Readonly<Record<string, readonly string[]>>
  /** Stops after the jobs, which may send through it. */
  background?: readonly BackgroundWork[]
}

type ConfigOf<Schema extends TObject> = Static<Schema> & BaseConfig

export interface RunOptions<Schema extends TObject> {
  service: ServiceName
  /** Schema of `defineConfig`. */
  config: Schema
  /** Folder with the migrations of the service. */
  migrations: string
  build: (resources: Resources<ConfigOf<Schema>>) => ServiceApp | Promise<ServiceApp>
  environment?: Environment
}

/** Runs until the process stops; problems of the settings are logged one per line, exit code 1. */
export const runService = async <Schema extends TObject>(
  options: RunOptions<Schema>,
): Promise<void> => {
  const { service, environment = process.env } = options
  let logger = createLogger({ service })
  const exitWith = (message: string) => (error: unknown) => {
    logger.fatal({ err: error }, message)
    process.exit(1)
  }
  process.on('uncaughtException', exitWith('uncaught exception'))
  process.on('unhandledRejection', exitWith('unhandled rejection'))
  try {
    const config = loadConfig(options.config, environment) as ConfigOf<Schema>
    logger = createLogger({ service, level: config.LOG_LEVEL })
    await runConfiguredService({ ...options, config, logger })
    if (process.exitCode === undefined) endProcess()
    process.exit()
  } catch (error) {
    if (!(error instanceof ConfigError)) return exitWith('the service failed')(error)
    for (const problem of error.problems) logger.fatal(problem)
    process.exit(1)
  }
}

interface RunningOptions<Schema extends TObject> extends Omit<RunOptions<Schema>, 'config'> {
  config: ConfigOf<Schema>
  logger: Logger
}

const runConfiguredService = async <Schema extends TObject>(
  options: RunningOptions<Schema>,
): Promise<void> => {
  const { service, config, logger, build } = options
  const stopping = stopSignal(logger)
  const tracing = await startTracingIfSet(options)
  const { resources, close } = openResources({ service, config, logger })
  const { database, health } = resources
  const readSchema = await schemaReader(database, options.migrations)
  const sessionSetting =
    config.DATABASE_DIRECT_URL === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
  const untilUsable = () =>
    waitForDatabase({
      database,
      readSchema,
      sessionSetting,
      health,
      logger,
      signal: stopping.signal,
    })
  health.starting({})
  const app = await build(resources)
  const [command, ...parameters] = process.argv.slice(2)
  if (command === 'requeue') {
    const { eventHandlers } = app
    const print = (line: string) => void process.stdout.write(`${line}\n`)
    if (!(await untilUsable())) return close()
    process.exitCode = await runRequeueCommand({ database, eventHandlers, parameters, print })
    return close()
  }
  await app.restore?.()
  await listen(app.http, config, logger)
  const isPrepared = async () =>
    (await untilUsable()) &&
    (await runWhenAvailable(app.prepare ?? (async () => {}), { logger, signal: stopping.signal }))
  const work = (await isPrepared()) ? await beginWork(app, resources, readSchema) : null
  if (work !== null) logger.info('ready')

  await stopping.promise
  health.stop()
  await withTimeout(app.http.close(), DRAIN_TIMEOUT_MS, () => app.http.server.closeAllConnections())
  await withTimeout(work?.stop(), STOP_WORK_TIMEOUT_MS, () =>
    logger.warn('background work did not stop in time'),
  )
  await close()
  await withTimeout(tracing?.stop(), EXPORT_TIMEOUT_MS, () => {})
  logger.info('stopped')
}

/** Starts before the routes are registered, which add the hooks of tracing only then. */
const startTracingIfSet = async ({
  service,
  config,
  logger,
}: Pick<RunningOptions<TObject>, 'service' | 'config' | 'logger'>): Promise<Tracing | null> => {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === undefined) return null
  const { startTracing } = await import('@status-page/tracing/start')
  return startTracing({
    service,
    endpoint,
    sampleRatio: config.OTEL_TRACES_SAMPLER_ARG,
    onError: (message) => logger.warn({ reason: message }, 'failed to export traces'),
  })
}

/** Starts the bus and the jobs on a usable database; the process is ready afterwards. */
const beginWork = async (
  app: ServiceApp,
  { service, config, database, logger, metrics, health }: Resources<BaseConfig>,
  readSchema: () => Promise<SchemaState>,
) => {
  const bus = createBus({
    database,
    service,
    eventHandlers: app.eventHandlers,
    logger,
    natsUrl: config.NATS_URL ?? null,
    natsPrefix: config.NATS_PREFIX,
    natsCa: config.NATS_CA,
    natsCredentialsFile: config.NATS_CREDENTIALS,
    replicas: config.NATS_REPLICAS,
    onUnusable(problem) {
      logger.fatal(problem)
      process.exit(1)
    },
    intervals: scaledIntervals(config.BUS_INTERVAL_PERCENT),
  })
  metrics.watch('bus', () => busMetrics(bus), busMetricHelp)
  const work = await startWork(app, { bus, database, logger })
  health.watch({ database, bus, readSchema })
  collectStartupGarbage()
  return work
}

/** Aborts on the first signal; a second one ends the process at once. */
const stopSignal = (logger: Logger): { promise: Promise<void>; signal: AbortSignal } => {
  const stopping = new AbortController()
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = (signal: NodeJS.Signals) => {
    if (stopping.signal.aborted) process.exit(1)
    stopping.abort()
    logger.info({ signal }, 'stopping')
    resolve()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  return { promise, signal: stopping.signal }
}

/**
 * Starts the bus and the jobs. They stop in reverse: producers of events before the bus that
 * publishes them.
 */
const startWork = async (
  app: ServiceApp,
  { bus, database, logger }: { bus: Bus; database: Database; logger: Logger },
) => {
  await bus.start()
  // Retention of the shared tables is the same for every service.
  const runner: JobRunner = startJobs(
    [...app.jobs, ...(app.jobsWithBus?.(bus) ?? []), ...sharedTableRetention(database)],
    { logger, readDue: (conditions) => readDue(database, conditions) },
  )
  const listeners = await Promise.all(
    Object.entries(app.wakeOn ?? {}).map(([channel, names]) =>
      database.listen(channel, () => {
        for (const name of names) runner.wake(name)
      }),
    ),
  )
  const background = app.background ?? []
  for (const work of background) await work.start()
  return {
    async stop() {
      await Promise.all(listeners.map((wakeup) => wakeup.close()))
      await runner.stop()
      await Promise.all(background.map((work) => work.stop()))
      await bus.stop()
    },
  }
}

const listen = async (http: FastifyInstance, config: BaseConfig, logger: Logger) => {
  await http.listen({ host: config.HOST, port: config.PORT })
  const { port } = http.server.address() as AddressInfo
  logger.info({ host: config.HOST, port }, 'listening')
}
