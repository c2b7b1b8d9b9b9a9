/**
 * The streams and durables as they must stand in JetStream. Another creation time of EVENTS is
 * another store; a durable that is ahead of its stream was left over from a newer one.
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
import type { Durable } from './reaction.ts'

export const EVENTS = 'EVENTS'
export const PROBE = 'PROBE'

/** Subjects of all events of one organization; a kind is two tokens. */
export const subjectsOf = (organizationId: string): string => `events.*.*.${organizationId}`

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const MAX_ACK_PENDING = 100

const streams: Partial<StreamConfig>[] = [
  {
    name: EVENTS,
    subjects: ['events.>'],
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
    name: PROBE,
    subjects: ['probe.>'],
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

export interface Checked {
  /** Creation time of EVENTS. */
  epoch: string
  /** Durables that were made, or made again. */
  created: string[]
}

/** Makes what is missing; `replicas` is 1 alone and 3 in a cluster. */
export const ensureStreams = async (
  jsm: JetStreamManager,
  options: { durables: readonly Durable[]; ackWaitMs: number; replicas: number },
): Promise<Checked> => {
  const [events] = await Promise.all(
    streams.map(async (config) => {
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
  const created: string[] = []
  for (const durable of options.durables) {
    const isNew = await ensureDurable(jsm, durable, {
      lastSeq: events.state.last_seq,
      ackWaitMs: options.ackWaitMs,
    })
    if (isNew) created.push(durable.name)
  }
  return { epoch: events.created, created }
}

const ensureDurable = async (
  jsm: JetStreamManager,
  durable: Durable,
  { lastSeq, ackWaitMs }: { lastSeq: number; ackWaitMs: number },
): Promise<boolean> => {
  const found = await orNull(jsm.consumers.info(EVENTS, durable.name))
  if (found !== null && !(await isAhead(jsm, found, lastSeq))) return false
  if (found !== null) await orNull(jsm.consumers.delete(EVENTS, durable.name))
  await jsm.consumers.add(EVENTS, durableConfig(durable, ackWaitMs))
  return true
}

/** Asked again with a fresh look at the stream: messages came in between the two answers. */
const isAhead = async (jsm: JetStreamManager, found: ConsumerInfo, lastSeq: number) =>
  found.delivered.stream_seq > lastSeq &&
  found.delivered.stream_seq > (await jsm.streams.info(EVENTS)).state.last_seq

const durableConfig = ({ name, filter }: Durable, ackWaitMs: number): Partial<ConsumerConfig> => ({
  durable_name: name,
  filter_subject: filter,
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  ack_wait: nanos(ackWaitMs),
  // At a limit a message leaves silently; `dead_event` does the counting.
  max_deliver: -1,
  max_ack_pending: MAX_ACK_PENDING,
})
