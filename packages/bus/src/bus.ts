/** The bus of a service process: starts every loop, stops every loop, and says how it stands. */
import type { ServiceName } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import type { Logger } from 'pino'
import { createBypass } from './bypass.ts'
import { durablesOf, type EventHandler, kindsOf } from './event-handler.ts'
import type { HandlerContext } from './handle-event.ts'
import { INTERVALS, type Intervals } from './intervals.ts'
import { createLag } from './lag.ts'
import { createLocks, type Locks } from './locks.ts'
import { type BusLoop, createWakeup, type NextRun, startBusLoop } from './loop.ts'
import { eraseMessages } from './message-erasure.ts'
import { type NatsClient, openNatsClient } from './nats-client.ts'
import { type NatsNames, natsNames } from './nats-names.ts'
import { createAlarms, NOTHING_SEEN, observe } from './observe.ts'
import { createOutboxLeader } from './outbox-leader.ts'
import { createPauses } from './pauses.ts'
import { createLiveness, isRoundTripGood, type Liveness, type Mode } from './probe.ts'
import { type PullConsumer, startPullConsumer } from './pull-consumer.ts'
import type { BusStatus } from './status.ts'
import { ensureStreams } from './streams.ts'

export interface BusOptions {
  database: Database
  service: ServiceName
  reactions: readonly EventHandler[]
  /** May carry `user:password@`; null: the bus runs in bypass for ever. */
  natsUrl: string | null
  natsCredentials?: { user: string; password: string }
  /** Begins the installation's names in NATS; none by default. */
  natsPrefix?: string
  logger: Logger
  /** Milliseconds, monotonic. */
  clock?: () => number
  intervals?: Partial<Intervals>
  /** Of the streams: 1 alone, 3 in a cluster. */
  replicas?: number
}

export interface Bus {
  /** Resolves once the loops run; never waits for NATS. */
  start(): Promise<void>
  stop(): Promise<void>
  mode(): Mode
  status(): BusStatus
  /** Erases messages of the organization from the stream; true when none is left. */
  purge(organizationId: string): Promise<boolean>
}

export const createBus = (options: BusOptions): Bus => {
  demandDistinct(options.reactions)
  const state = stateOf(options)
  return {
    async start() {
      await startAll(state)
    },
    async stop() {
      state.stopping.abort()
      await Promise.all([...state.loops, ...state.pullers.values()].map(({ ended }) => ended))
      await Promise.all(state.closing.map((close) => close()))
      await state.link?.close()
      await state.locks.close()
    },
    mode: state.mode,
    purge: (organizationId) => purge(state, organizationId),
    status: () => ({
      mode: state.mode(),
      ...state.seen,
      lastRoundTripAt: state.lastRoundTripAt,
      epoch: state.epoch,
    }),
  }
}

/** Without NATS there is no stream, so nothing to remove. */
const purge = async ({ options, names, link }: State, organizationId: string): Promise<boolean> => {
  if (options.natsUrl === null) return true
  const session = link?.session() ?? null
  if (session === null) return false
  return eraseMessages(session, names, organizationId)
}

/** Everything that the loops share; each field has one writer. */
interface State {
  options: BusOptions
  names: NatsNames
  desk: HandlerContext
  clock: () => number
  locks: Locks
  liveness: Liveness
  stopping: AbortController
  link: NatsClient | null
  loops: Pick<BusLoop, 'ended'>[]
  pullers: Map<string, PullConsumer>
  closing: (() => Promise<void>)[]
  mode: () => Mode
  /** Written by the start; a listener that is cut off comes back by itself. */
  isListening: boolean
  /** Written by the stream check. */
  epoch: string | null
  /** Written by the probe. */
  lastRoundTripAt: string | null
  /** Written by the observer. */
  seen: typeof NOTHING_SEEN
}

const stateOf = (options: BusOptions): State => {
  const intervals = { ...INTERVALS, ...options.intervals }
  const clock = options.clock ?? (() => performance.now())
  const liveness = createLiveness(intervals, clock)
  const { database, reactions, logger } = options
  return {
    options,
    names: natsNames(options.natsPrefix),
    desk: { database, reactions, intervals, pauses: createPauses(clock), logger },
    clock,
    locks: createLocks(database),
    liveness,
    stopping: new AbortController(),
    link: null,
    loops: [],
    pullers: new Map(),
    closing: [],
    mode: () => (options.natsUrl === null ? 'bypass' : liveness.mode()),
    isListening: false,
    epoch: null,
    lastRoundTripAt: null,
    seen: NOTHING_SEEN,
  }
}

const startAll = async (state: State) => {
  const { natsUrl } = state.options
  const relayBell = createWakeup()
  if (natsUrl !== null) startNats(state, natsUrl, relayBell)
  startSteward(state, relayBell)
  startBypass(state)
  startObserver(state)
  await listen(state, relayBell)
}

/** Losing a notification costs one poll, so a database that is away is no reason not to start. */
const listen = async (state: State, relayBell: { wake(): void }) => {
  const { database, logger } = state.options
  try {
    const wake = (schema: string) => schema === database.schema && relayBell.wake()
    const { close } = await database.listen('outbox_new', wake, { onListening: relayBell.wake })
    state.closing.push(() => close().catch(() => {}))
    state.isListening = true
  } catch (error) {
    logger.warn({ err: error }, 'LISTEN failed, the relay polls instead')
  }
}

type Turn = { name: string; everyMs: number; restMs?: number; turn(): Promise<NextRun> }

const loop = (state: State, turn: Turn, wakeup = createWakeup()): BusLoop => {
  const { stopping, options } = state
  const started = startBusLoop({ ...turn, wakeup, signal: stopping.signal, logger: options.logger })
  state.loops.push(started)
  return started
}

const startNats = (state: State, natsUrl: string, relayBell: { wake(): void }) => {
  const { options, desk } = state
  const link = openNatsClient({
    url: natsUrl,
    credentials: options.natsCredentials ?? null,
    service: options.service,
    names: state.names,
    intervals: desk.intervals,
    logger: options.logger,
  })
  state.link = link
  for (const reaction of options.reactions) startPullers(state, reaction, link)
  const check = startStreamCheck(state, link, relayBell)
  const probe = startProbe(state, link, relayBell)
  link.onUp(() => {
    check.wakeup.wake()
    probe.wakeup.wake()
  })
}

const startPullers = (state: State, reaction: EventHandler, link: NatsClient) => {
  const { desk, pullers, stopping } = state
  for (const { name } of durablesOf(reaction.consumer, kindsOf(reaction))) {
    const puller = startPullConsumer({
      desk,
      reaction,
      names: state.names,
      durable: name,
      session: link.session,
      epoch: () => state.epoch,
      signal: stopping.signal,
    })
    pullers.set(name, puller)
  }
}

/** Makes streams and durables that are missing; a puller whose durable is new asks anew. */
const startStreamCheck = (state: State, link: NatsClient, relayBell: { wake(): void }): BusLoop => {
  const { options, names, desk, pullers } = state
  const { ackWaitMs } = desk.intervals
  const durables = options.reactions.flatMap((one) => durablesOf(one.consumer, kindsOf(one)))
  const replicas = options.replicas ?? 1
  return loop(state, {
    name: 'stream check',
    everyMs: desk.intervals.epochMs,
    async turn() {
      const session = link.session()
      if (session === null) return undefined
      const wanted = { names, durables, ackWaitMs, replicas }
      const { epoch, created, refused } = await ensureStreams(session.jsm, wanted)
      for (const name of created) pullers.get(name)?.restart()
      for (const { durable, error } of refused) {
        options.logger.error({ durable, err: error }, 'NATS rejected a durable consumer')
      }
      if (epoch !== state.epoch) relayBell.wake()
      state.epoch = epoch
      return undefined
    },
  })
}

const startProbe = (state: State, link: NatsClient, relayBell: { wake(): void }): BusLoop => {
  const { options, names, desk, liveness } = state
  const subject = names.subject(`probe.${options.service}`)
  const timeoutMs = desk.intervals.requestTimeoutMs
  return loop(state, {
    name: 'probe',
    everyMs: desk.intervals.probeMs,
    async turn() {
      const session = link.session()
      const probe = session && { session, subject, timeoutMs, logger: options.logger }
      if (probe === null || !(await isRoundTripGood(probe))) {
        liveness.failed()
        return undefined
      }
      if (!liveness.isGood()) relayBell.wake()
      liveness.succeeded()
      state.lastRoundTripAt = new Date().toISOString()
      return undefined
    },
  })
}

const startSteward = (state: State, wakeup: ReturnType<typeof createWakeup>) => {
  const { options, desk, liveness } = state
  const steward = createOutboxLeader({
    database: options.database,
    service: options.service,
    names: state.names,
    locks: state.locks,
    intervals: desk.intervals,
    clock: state.clock,
    logger: options.logger,
    session: () => (liveness.isGood() ? (state.link?.session() ?? null) : null),
    epoch: () => state.epoch,
    isListening: () => state.isListening,
  })
  const { relayPollMs: everyMs, relayRestMs: restMs } = desk.intervals
  loop(state, { name: 'relay', everyMs, restMs, turn: () => steward.turn() }, wakeup)
}

const startBypass = (state: State) => {
  const { desk, locks, stopping } = state
  const isBypassing = () => state.mode() === 'bypass'
  const lag = createLag(desk, isBypassing)
  loop(state, { name: 'lag', everyMs: desk.intervals.lagCheckMs, turn: lag.look })
  for (const reaction of desk.reactions) {
    const bypass = createBypass({ desk, reaction, lag, locks, isBypassing })
    loop(state, {
      name: `bypass ${reaction.consumer}`,
      everyMs: desk.intervals.bypassPollMs,
      turn: async () => ((await bypass.turn(stopping.signal)) ? 'again' : undefined),
    })
  }
}

const startObserver = (state: State) => {
  const { options, desk } = state
  const alarms = createAlarms(options.logger)
  loop(state, {
    name: 'observer',
    everyMs: desk.intervals.observeMs,
    async turn() {
      state.seen = await observe(options.database, options.reactions)
      const isConfigured = options.natsUrl !== null
      alarms.set(state.seen, { isConfigured, isBypassing: state.mode() === 'bypass' })
      return undefined
    },
  })
}

const demandDistinct = (reactions: readonly EventHandler[]) => {
  const names = reactions.map(({ consumer }) => consumer)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`Two reactions share the consumer ${twice}`)
}
