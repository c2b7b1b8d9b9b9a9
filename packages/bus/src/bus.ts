/** Event bus of a service process: starts and stops its loops and reports its status. */
import { Wakeup } from '@status-page/concurrency'
import type { ServiceName } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import type { Logger } from 'pino'
import type { HandlerContext } from './event-handler.ts'
import { durableConsumersOf, type EventHandler, eventKindsOf } from './event-handler.ts'
import { DEFAULT_INTERVALS, type Intervals } from './intervals.ts'
import { createLagMonitor, type LagMonitor } from './lag.ts'
import { createLocks, type Locks } from './locks.ts'
import { type BusLoop, type BusLoopSpec, startBusLoop } from './loop.ts'
import { eraseMessages } from './message-erasure.ts'
import { type NatsClient, openNatsClient } from './nats-client.ts'
import { type NatsNames, natsNames } from './nats-names.ts'
import { createOutboxLeader } from './outbox-leader.ts'
import { createOutboxAlarms, EMPTY_OBSERVATION, observeOutbox } from './outbox-observation.ts'
import { createOutboxReader } from './outbox-reader.ts'
import { createRetryPauses } from './pauses.ts'
import { createBusMode, isRoundTripSuccessful, type Liveness, type TransportMode } from './probe.ts'
import { type PullConsumer, startPullConsumer } from './pull-consumer.ts'
import type { BusStatus } from './status.ts'
import {
  ensureStreams,
  ForeignStreamsError,
  installationIdReader,
  type StreamState,
} from './streams.ts'

export interface BusOptions {
  database: Database
  service: ServiceName
  eventHandlers: readonly EventHandler[]
  /** URLs with optional `user:password@`, separated by commas; null: always in bypass. */
  natsUrl: string | null
  /** Certificates in PEM that sign those of the NATS servers. */
  natsCa?: string | undefined
  /** Content of a credentials file of NATS. */
  natsCredentialsFile?: string | undefined
  /** Called at the start when NATS cannot be used for a reason that no retry resolves. */
  onUnusable?: (problem: string) => void
  natsCredentials?: { user: string; password: string }
  /** Prefix of the names of this installation in NATS; none by default. */
  natsPrefix?: string
  logger: Logger
  /** Monotonic time in milliseconds. */
  clock?: () => number
  intervals?: Partial<Intervals>
  /** Replicas of the streams, 3 in a cluster; existing streams are changed. */
  replicas?: number | undefined
}

export interface Bus {
  /** Resolves once the loops run, without waiting for NATS. */
  start(): Promise<void>
  stop(): Promise<void>
  mode(): TransportMode
  status(): BusStatus
  /**
   * Erases messages of the organization from the stream, a limited number per call; resolves true
   * when none is left. Rejects while NATS is not connected.
   */
  purge(organizationId: string): Promise<boolean>
}

export const createBus = (options: BusOptions): Bus => {
  requireUniqueConsumers(options.eventHandlers)
  const state = createState(options)
  return {
    async start() {
      await startAll(state)
    },
    async stop() {
      state.stopping.abort()
      await Promise.all([...state.loops, ...state.pullConsumers.values()].map(({ ended }) => ended))
      await Promise.all(state.closing.map((close) => close()))
      await state.natsClient?.close()
      await state.locks.close()
    },
    mode: state.mode,
    purge: (organizationId) => purge(state, organizationId),
    status: () => ({
      mode: state.mode(),
      ...state.observation,
      lastRoundTripAt: state.lastRoundTripAt,
      epoch: state.epoch,
    }),
  }
}

/**
 * Erases messages of the organization. An installation without NATS has no stream to erase from.
 */
const purge = async (
  { options, names, natsClient }: State,
  organizationId: string,
): Promise<boolean> => {
  if (options.natsUrl === null) return true
  const session = natsClient?.session() ?? null
  if (session === null) throw new Error('NATS is not connected')
  return eraseMessages(session, names, organizationId)
}

/** State that the loops share; each field has one writer. */
interface State {
  options: BusOptions
  names: NatsNames
  context: HandlerContext
  clock: () => number
  locks: Locks
  liveness: Liveness
  stopping: AbortController
  natsClient: NatsClient | null
  loops: Pick<BusLoop, 'ended'>[]
  pullConsumers: Map<string, PullConsumer>
  closing: (() => Promise<void>)[]
  mode: () => TransportMode
  /** Set at the start; the LISTEN connection reconnects by itself. */
  isListening: boolean
  /** Set by the stream check; null until the streams are known to be this installation's. */
  epoch: string | null
  /** Set by the probe. */
  lastRoundTripAt: string | null
  /** Set by the observer. */
  observation: typeof EMPTY_OBSERVATION
}

const createState = (options: BusOptions): State => {
  const intervals = { ...DEFAULT_INTERVALS, ...options.intervals }
  const clock = options.clock ?? (() => performance.now())
  const liveness = createBusMode(intervals, clock)
  const { database, eventHandlers, logger } = options
  return {
    options,
    names: natsNames(options.natsPrefix),
    context: { database, eventHandlers, intervals, pauses: createRetryPauses(clock), logger },
    clock,
    locks: createLocks(database),
    liveness,
    stopping: new AbortController(),
    natsClient: null,
    loops: [],
    pullConsumers: new Map(),
    closing: [],
    mode: () => (options.natsUrl === null ? 'bypass' : liveness.mode()),
    isListening: false,
    epoch: null,
    lastRoundTripAt: null,
    observation: EMPTY_OBSERVATION,
  }
}

const startAll = async (state: State) => {
  const { natsUrl } = state.options
  const relayWakeup = new Wakeup()
  if (natsUrl !== null) startNats(state, natsUrl, relayWakeup)
  startOutboxLeader(state, relayWakeup)
  startBypass(state, relayWakeup)
  await listen(state, relayWakeup)
}

/**
 * Starts LISTEN. A lost notification costs one poll, so an unreachable database does not fail the
 * start.
 */
const listen = async (state: State, relayWakeup: { wake(): void }) => {
  const { database, logger } = state.options
  try {
    const wake = (schema: string) => schema === database.schema && relayWakeup.wake()
    const { close } = await database.listen('outbox_new', wake, { onListening: relayWakeup.wake })
    state.closing.push(() => close().catch(() => {}))
    state.isListening = true
  } catch (error) {
    logger.warn({ err: error }, 'LISTEN failed, the relay polls instead')
  }
}

type LoopOptions = Pick<BusLoopSpec, 'name' | 'everyMs' | 'runOnce'>

const loop = (state: State, loopOptions: LoopOptions, wakeup = new Wakeup()): BusLoop => {
  const { stopping, options } = state
  const busLoop = startBusLoop({
    ...loopOptions,
    wakeup,
    signal: stopping.signal,
    logger: options.logger,
  })
  state.loops.push(busLoop)
  return busLoop
}

const startNats = (state: State, natsUrl: string, relayWakeup: { wake(): void }) => {
  const { options, context } = state
  const natsClient = openNatsClient({
    url: natsUrl,
    credentials: options.natsCredentials ?? null,
    credentialsFile: options.natsCredentialsFile ?? null,
    ca: options.natsCa ?? null,
    onUnusable: options.onUnusable ?? (() => {}),
    service: options.service,
    names: state.names,
    intervals: context.intervals,
    logger: options.logger,
  })
  state.natsClient = natsClient
  for (const handler of options.eventHandlers) startPullConsumers(state, handler, natsClient)
  const probe = startProbe(state, natsClient, relayWakeup)
  const check = startStreamCheck(state, natsClient, {
    onNewEpoch: () => relayWakeup.wake(),
    onUsable: () => probe.wakeup.wake(),
  })
  natsClient.onUp(() => {
    check.wakeup.wake()
    probe.wakeup.wake()
  })
}

const startPullConsumers = (state: State, handler: EventHandler, natsClient: NatsClient) => {
  const { context, pullConsumers, stopping } = state
  for (const { name } of durableConsumersOf(handler.consumer, eventKindsOf(handler))) {
    const pullConsumer = startPullConsumer({
      context,
      handler,
      names: state.names,
      durable: name,
      session: natsClient.session,
      epoch: () => state.epoch,
      signal: stopping.signal,
    })
    pullConsumers.set(name, pullConsumer)
  }
}

interface StreamCheckEvents {
  /** The event stream was created, or created again. */
  onNewEpoch(): void
  /** The streams are known to be this installation's. */
  onUsable(): void
}

/** Every n-th check includes durables whose number did not change. */
const DURABLE_CHECK_EVERY = 4

/** Creates missing streams and durables; a pull consumer whose durable is new restarts its pull. */
const startStreamCheck = (
  state: State,
  natsClient: NatsClient,
  { onNewEpoch, onUsable }: StreamCheckEvents,
): BusLoop => {
  const { options, names, context, pullConsumers } = state
  const { ackWaitMs } = context.intervals
  const durables = options.eventHandlers.flatMap((handler) =>
    durableConsumersOf(handler.consumer, eventKindsOf(handler)),
  )
  const replicas = options.replicas ?? null
  const installationId = installationIdReader(options.database)
  let isRefusalLogged = false
  let isFirst = true
  let complete: StreamState['complete'] = null
  let checks = 0
  return loop(state, {
    name: 'stream check',
    everyMs: context.intervals.epochMs,
    async runOnce() {
      const session = natsClient.session()
      if (session === null) return undefined
      const expected = {
        names,
        durables,
        ackWaitMs,
        replicas,
        installationId: await installationId(),
        complete: checks++ % DURABLE_CHECK_EVERY === 0 ? null : complete,
      }
      const streams = await ensureStreams(session.jsm, expected).catch((error: unknown) => {
        if (error instanceof ForeignStreamsError) leaveStreams(state, { error, isFirst })
        isFirst = false
        throw error
      })
      isFirst = false
      const { epoch, created, rejected, unchanged } = streams
      complete = streams.complete
      for (const { stream, error } of isRefusalLogged ? [] : unchanged) {
        options.logger.error({ stream, err: error }, 'NATS did not change the stream')
      }
      isRefusalLogged = unchanged.length > 0
      for (const { durable, error } of rejected) {
        options.logger.error({ durable, err: error }, 'NATS rejected a durable consumer')
      }
      const before = state.epoch
      state.epoch = epoch
      for (const name of before === null ? pullConsumers.keys() : created) {
        pullConsumers.get(name)?.restart()
      }
      if (before === null) onUsable()
      if (epoch !== before) onNewEpoch()
      return undefined
    },
  })
}

/**
 * Neither publishes nor reads any more, so that events travel through Postgres: another
 * installation has created the streams. At the start, the operator decides.
 */
const leaveStreams = (
  state: State,
  { error, isFirst }: { error: ForeignStreamsError; isFirst: boolean },
): void => {
  const { onUnusable, logger } = state.options
  if (isFirst) onUnusable?.(error.message)
  else if (state.epoch !== null) logger.error(error.message)
  state.epoch = null
  for (const pullConsumer of state.pullConsumers.values()) pullConsumer.restart()
}

const startProbe = (
  state: State,
  natsClient: NatsClient,
  relayWakeup: { wake(): void },
): BusLoop => {
  const { options, names, context, liveness } = state
  const subject = names.subject(`probe.${options.service}`)
  const timeoutMs = context.intervals.requestTimeoutMs
  return loop(state, {
    name: 'probe',
    everyMs: context.intervals.probeMs,
    async runOnce() {
      const session = natsClient.session()
      const { eventStream } = names
      const isOwn = state.epoch !== null
      const probe = session && { session, subject, eventStream, timeoutMs, logger: options.logger }
      if (!isOwn || probe === null || !(await isRoundTripSuccessful(probe))) {
        liveness.failed()
        return undefined
      }
      if (!liveness.isAvailable()) relayWakeup.wake()
      liveness.succeeded()
      state.lastRoundTripAt = new Date().toISOString()
      return undefined
    },
  })
}

const startOutboxLeader = (state: State, wakeup: Wakeup) => {
  const { options, context, liveness } = state
  const leader = createOutboxLeader({
    database: options.database,
    service: options.service,
    names: state.names,
    locks: state.locks,
    intervals: context.intervals,
    clock: state.clock,
    logger: options.logger,
    session: () => (liveness.isAvailable() ? (state.natsClient?.session() ?? null) : null),
    epoch: () => state.epoch,
    isListening: () => state.isListening,
  })
  const everyMs = context.intervals.relayPollMs
  loop(state, { name: 'relay', everyMs, runOnce: () => leader.runOnce() }, wakeup)
}

/**
 * Starts the readers of outboxes, which run at the interval of the bypass while NATS does not
 * deliver. Their own polls were most of the wake-ups of a service without work.
 */
const startBypass = (state: State, relayWakeup: { wake(): void }) => {
  const { context, locks, stopping, liveness } = state
  const { bypassPollMs } = context.intervals
  const isBypassing = () => state.mode() === 'bypass'
  const lag = createLagMonitor(context, isBypassing)
  const readers = context.eventHandlers.map((handler) => {
    const reader = createOutboxReader({ context, handler, lag, locks, isBypassing })
    return loop(state, {
      name: `bypass ${handler.consumer}`,
      everyMs: Number.POSITIVE_INFINITY,
      runOnce: async () => ((await reader.runOnce(stopping.signal)) ? 0 : undefined),
    })
  })
  const bypass = loop(state, {
    name: 'bypass',
    everyMs: bypassPollMs,
    async runOnce() {
      if (!isBypassing() && !lag.isAnyLagging()) return Math.max(1, liveness.staleInMs())
      for (const { wakeup } of readers) wakeup.wake()
      return undefined
    },
  })
  startObserver(state, lag, { relay: relayWakeup, bypass: bypass.wakeup })
}

type Wakeups = Record<'relay' | 'bypass', Pick<Wakeup, 'wake'>>

const startObserver = (state: State, lag: LagMonitor, wakeups: Wakeups) => {
  const { options, context } = state
  const { database, eventHandlers } = options
  const alarms = createOutboxAlarms(options.logger)
  loop(state, {
    name: 'observer',
    everyMs: context.intervals.observeMs,
    async runOnce() {
      const { isAnyEventLate } = lag
      const observed = await observeOutbox({ database, eventHandlers, isAnyEventLate })
      state.observation = observed.observation
      const isConfigured = options.natsUrl !== null
      alarms.set(state.observation, { isConfigured, isBypassing: state.mode() === 'bypass' })
      if (state.observation.unpublishedAgeSeconds > 0) wakeups.relay.wake()
      await lag.update(observed.isAnyEventLate)
      if (lag.isAnyLagging()) wakeups.bypass.wake()
      return undefined
    },
  })
}

const requireUniqueConsumers = (eventHandlers: readonly EventHandler[]) => {
  const names = eventHandlers.map(({ consumer }) => consumer)
  const duplicate = names.find((name, index) => names.indexOf(name) !== index)
  if (duplicate !== undefined) throw new Error(`Two event handlers share the consumer ${duplicate}`)
}
