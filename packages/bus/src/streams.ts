/**
 * The streams and durables as they must stand in JetStream. Another creation time of the event stream
 * is another store; a durable that is ahead of its stream was left over from a newer one.
 */
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
} from 'nats'
import type { Durable } from './event-handler.ts'
import type { NatsNames } from './nats-names.ts'

/** Subjects of all events of one organization; a kind is two tokens. */
export const subjectsOf = (names: NatsNames, organizationId: string): string =>
  names.subject(`events.*.*.${organizationId}`)

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const MAX_ACK_PENDING = 100

const streamsOf = (names: NatsNames): Partial<StreamConfig>[] => [
  {
    name: names.eventStream,
    subjects: [names.subject('events.>')],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    // New news matters most; what fell out is swept.
    discard: DiscardPolicy.Old,
    max_age: nanos(72 * HOUR_MS),
    max_bytes: 1024 ** 3,
    max_msg_size: 256 * 1024,
    duplicate_window: nanos(10 * MINUTE_MS),
  },
  {
    name: names.probeStream,
    subjects: [names.subject('probe.>')],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_msgs_per_subject: 1,
    max_age: nanos(HOUR_MS),
    max_bytes: 1024 ** 2,
  },
]

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
  /** Durables that were made, or made again. */
  created: string[]
  /** Durables for which the permissions of the user do not suffice. */
  refused: { durable: string; error: NatsError }[]
}

interface StreamOptions {
  names: NatsNames
  durables: readonly Durable[]
  ackWaitMs: number
  /** 1 alone, 3 in a cluster. */
  replicas: number
}

/** Makes what is missing. */
export const ensureStreams = async (
  jsm: JetStreamManager,
  options: StreamOptions,
): Promise<StreamState> => {
  const [events] = await Promise.all(
    streamsOf(options.names).map(async (config) => {
      const look = () => orNull(jsm.streams.info(config.name ?? ''))
      const found = await look()
      if (found !== null) return found
      try {
        return await jsm.streams.add({ ...config, num_replicas: options.replicas })
      } catch (error) {
        // Six services start at once, and each reserves the space that the first one gets.
        const made = await look()
        if (made === null) throw error
        return made
      }
    }),
  )
  if (events === undefined) throw new Error('no stream')
  const checked: StreamState = { epoch: events.created, created: [], refused: [] }
  for (const durable of options.durables) {
    const wanted = {
      stream: options.names.eventStream,
      lastSeq: events.state.last_seq,
      config: durableConfig(options, durable),
    }
    try {
      if (await ensureDurable(jsm, durable, wanted)) checked.created.push(durable.name)
    } catch (error) {
      if (!(error instanceof NatsError && error.isPermissionError())) throw error
      checked.refused.push({ durable: durable.name, error })
    }
  }
  return checked
}

const ensureDurable = async (
  jsm: JetStreamManager,
  { name }: Durable,
  { stream, lastSeq, config }: { stream: string; lastSeq: number; config: Partial<ConsumerConfig> },
): Promise<boolean> => {
  const found = await orNull(jsm.consumers.info(stream, name))
  if (found !== null && !(await isAhead(jsm, found, lastSeq))) return false
  if (found !== null) await orNull(jsm.consumers.delete(stream, name))
  await jsm.consumers.add(stream, config)
  return true
}

/** Asked again with a fresh look at the stream: messages came in between the two answers. */
const isAhead = async (jsm: JetStreamManager, found: ConsumerInfo, lastSeq: number) =>
  found.delivered.stream_seq > lastSeq &&
  found.delivered.stream_seq > (await jsm.streams.info(found.stream_name)).state.last_seq

const durableConfig = (
  { names, ackWaitMs }: StreamOptions,
  { name, filter }: Durable,
): Partial<ConsumerConfig> => ({
  durable_name: name,
  filter_subject: names.subject(filter),
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  ack_wait: nanos(ackWaitMs),
  // At a limit a message leaves silently; `dead_event` does the counting.
  max_deliver: -1,
  max_ack_pending: MAX_ACK_PENDING,
})
