/**
 * Configuration of the streams and durables in JetStream. A changed creation time of the event
 * stream means a new store; a durable ahead of its stream belonged to a newer store and is created
 * again. The description of a stream names its installation: streams of another one are not used.
 */

import { type Database, installationMark, readInstallationId } from '@status-page/postgres'
import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from 'nats'
import type { DurableConsumer } from './event-handler.ts'
import type { NatsNames } from './nats-names.ts'

/** Subjects of all events of one organization; a kind is two tokens. */
export const subjectsOfOrganization = (names: NatsNames, organizationId: string): string =>
  names.subject(`events.*.*.${organizationId}`)

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const MAX_ACK_PENDING = 100

type StreamSettings = Partial<StreamConfig> & Pick<StreamConfig, 'name' | 'description'>

const streamsOf = (names: NatsNames, description: string): StreamSettings[] => [
  {
    name: names.eventStream,
    description,
    subjects: [names.subject('events.>')],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    // Newer events matter more; a discarded open event is published again by the sweep.
    discard: DiscardPolicy.Old,
    max_age: nanos(72 * HOUR_MS),
    max_bytes: 1024 ** 3,
    max_msg_size: 256 * 1024,
    duplicate_window: nanos(10 * MINUTE_MS),
  },
  {
    name: names.probeStream,
    description,
    subjects: [names.subject('probe.>')],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_msgs_per_subject: 1,
    max_age: nanos(HOUR_MS),
    max_bytes: 1024 ** 2,
  },
]

/** Reads the id of the installation once; it never changes. */
export const installationIdReader = ({ batchSql }: Database) => {
  let known: string | null = null
  return async (): Promise<string> => {
    known ??= await readInstallationId(batchSql)
    if (known === null) throw new Error('The database has no installation id')
    return known
  }
}

const STREAM_NOT_FOUND = 10059
const CONSUMER_NOT_FOUND = 10014

const isMissing = (error: unknown): boolean =>
  error instanceof NatsError &&
  [STREAM_NOT_FOUND, CONSUMER_NOT_FOUND].includes(error.jsError()?.err_code ?? 0)

const orNull = <T>(found: Promise<T>): Promise<T | null> =>
  found.catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })

export interface StreamState {
  /** Creation time of the event stream. */
  epoch: string
  /** Durables that were created, or created again. */
  created: string[]
  /** Durables that the user's permissions do not allow. */
  rejected: { durable: string; error: NatsError }[]
  /** Streams whose configuration the server did not change, with its errors. */
  unchanged: { stream: string; error: unknown }[]
  /** State of the event stream in which every durable exists. */
  complete: EventStreamState | null
}

/** State of the event stream, which the deletion of a durable or of messages changes. */
interface EventStreamState {
  created: string
  durables: number
  lastSeq: number
}

const isSameStream = (before: EventStreamState | null, now: EventStreamState): boolean =>
  before?.created === now.created &&
  before.durables === now.durables &&
  before.lastSeq <= now.lastSeq

interface StreamOptions {
  installationId: string
  names: NatsNames
  durables: readonly DurableConsumer[]
  ackWaitMs: number
  /** Replicas of the streams; null: one for a new stream, and those of an existing one. */
  replicas: number | null
  /** State in which the durables are not checked again: a request each. */
  complete?: EventStreamState | null
}

/** The streams of the prefix belong to another installation; nothing was changed. */
export class ForeignStreamsError extends Error {
  constructor(stream: string) {
    super(
      `The NATS stream ${stream} belongs to another installation: set NATS_PREFIX to a prefix of ` +
        'its own.',
    )
  }
}

/**
 * Creates missing streams and durables, and changes streams of another configuration. Throws a
 * ForeignStreamsError before any change.
 */
export const ensureStreams = async (
  jsm: JetStreamManager,
  options: StreamOptions,
): Promise<StreamState> => {
  const unchanged: StreamState['unchanged'] = []
  const mark = installationMark(options.installationId)
  const wanted = streamsOf(options.names, mark)
  const found = await Promise.all(wanted.map(({ name }) => findOwnStream(jsm, name, mark)))
  const [events] = await Promise.all(
    wanted.map(async (config, index) => {
      const existing = found[index] ?? null
      if (existing === null) return addStream(jsm, config, options)
      const { replicas } = options
      const settings = replicas === null ? config : { ...config, num_replicas: replicas }
      await changeStream(jsm, existing, settings).catch((error: unknown) => {
        unchanged.push({ stream: config.name, error })
      })
      return existing
    }),
  )
  if (events === undefined) throw new Error('no stream')
  const { created: epoch, state: counts } = events
  const now = { created: epoch, durables: counts.consumer_count, lastSeq: counts.last_seq }
  const isComplete = isSameStream(options.complete ?? null, now)
  const state: StreamState = { epoch, created: [], rejected: [], unchanged, complete: now }
  for (const durable of isComplete ? [] : options.durables) {
    const expected = {
      stream: options.names.eventStream,
      lastSeq: counts.last_seq,
      config: durableConfig(options, durable),
    }
    try {
      if (await ensureDurable(jsm, durable, expected)) state.created.push(durable.name)
    } catch (error) {
      if (!(error instanceof NatsError && error.isPermissionError())) throw error
      state.rejected.push({ durable: durable.name, error })
    }
  }
  // Created durables change their number.
  const isKnown = state.created.length + state.rejected.length === 0
  return { ...state, complete: isKnown ? now : null }
}

/** A stream without a description is taken over: it was created before streams were marked. */
const findOwnStream = async (
  jsm: JetStreamManager,
  name: string,
  mark: string,
): Promise<StreamInfo | null> => {
  const found = await orNull(jsm.streams.info(name))
  if (found !== null && ![undefined, '', mark].includes(found.config.description)) {
    throw new ForeignStreamsError(name)
  }
  return found
}

/**
 * Six services start at the same time, and each requests the storage that only the first one gets.
 */
const addStream = async (
  jsm: JetStreamManager,
  config: StreamSettings,
  { replicas }: StreamOptions,
): Promise<StreamInfo> => {
  try {
    return await jsm.streams.add({ ...config, num_replicas: replicas ?? 1 })
  } catch (error) {
    const createdElsewhere = await findOwnStream(jsm, config.name, config.description ?? '')
    if (createdElsewhere === null) throw error
    return createdElsewhere
  }
}

/** Changes the stream where it differs from the wanted configuration. */
const changeStream = async (
  jsm: JetStreamManager,
  { config }: StreamInfo,
  wanted: Partial<StreamConfig>,
): Promise<void> => {
  const isEqual = (name: string) =>
    JSON.stringify(config[name as keyof StreamConfig]) ===
    JSON.stringify(wanted[name as keyof StreamConfig])
  if (Object.keys(wanted).every(isEqual)) return
  await jsm.streams.update(config.name, wanted)
}

const ensureDurable = async (
  jsm: JetStreamManager,
  { name }: DurableConsumer,
  { stream, lastSeq, config }: { stream: string; lastSeq: number; config: Partial<ConsumerConfig> },
): Promise<boolean> => {
  const found = await orNull(jsm.consumers.info(stream, name))
  if (found !== null && !(await isAhead(jsm, found, lastSeq))) return false
  if (found !== null) await orNull(jsm.consumers.delete(stream, name))
  await jsm.consumers.add(stream, config)
  return true
}

/** Reads the stream again, because messages may have been added between the two responses. */
const isAhead = async (jsm: JetStreamManager, found: ConsumerInfo, lastSeq: number) =>
  found.delivered.stream_seq > lastSeq &&
  found.delivered.stream_seq > (await jsm.streams.info(found.stream_name)).state.last_seq

const durableConfig = (
  { names, ackWaitMs }: StreamOptions,
  { name, filter }: DurableConsumer,
): Partial<ConsumerConfig> => ({
  durable_name: name,
  filter_subject: names.subject(filter),
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  ack_wait: nanos(ackWaitMs),
  // A message at max_deliver disappears silently; `dead_event` counts the attempts instead.
  max_deliver: -1,
  max_ack_pending: MAX_ACK_PENDING,
})
