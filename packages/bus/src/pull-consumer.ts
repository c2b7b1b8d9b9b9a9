/** Pull consumer of one durable: bounded concurrency, messages of one aggregate in order. */
import { createHash } from 'node:crypto'
import type { ConsumerMessages, JsMsg } from 'nats'
import { isUuid } from './envelope.ts'
import type { EventHandler, HandlerContext, HandlerResult } from './event-handler.ts'
import { handleEvent } from './handle-event.ts'
import { startBusLoop } from './loop.ts'
import type { NatsSession } from './nats-client.ts'
import type { NatsNames } from './nats-names.ts'
import { AGGREGATE_HEADER, TRACE_HEADER } from './relay.ts'

/** Messages pulled in advance; few, because their ack wait already runs. */
const PREFETCH = 32
const MAX_IN_FLIGHT = 8
/** Lifetime of a pull. With 30 s, the default, repeated pulls were half of the messages at rest. */
const PULL_MS = 300_000
/** Interval of the heartbeats of a pull; two missing ones repeat it. */
const PULL_HEARTBEAT_MS = 15_000

export interface PullConsumer {
  /** Ends the current pull, after its durable or the connection was replaced. */
  restart(): void
  /** Resolves when the last message in flight has been answered; the signal must be aborted. */
  ended: Promise<void>
}

export interface PullConsumerOptions {
  context: HandlerContext
  handler: EventHandler
  names: NatsNames
  durable: string
  session: () => NatsSession | null
  /** Null while the streams are not known to be this installation's. */
  epoch: () => string | null
  signal: AbortSignal
}

export const startPullConsumer = (options: PullConsumerOptions): PullConsumer => {
  const { context, names, durable, session, signal } = options
  const inFlight = createInFlight()
  let messages: ConsumerMessages | null = null
  let mayBeDisconnected = false

  const start = (message: JsMsg) => {
    const { workingMs } = context.intervals
    const working = setInterval(() => ignoreErrors(() => message.working()), workingMs)
    inFlight.add(aggregateOf(message), async () => {
      try {
        if (signal.aborted) ignoreErrors(() => message.nak())
        else if (!(await handleMessage(options, message))) mayBeDisconnected = true
      } finally {
        clearInterval(working)
      }
    })
  }

  const runOnce = async () => {
    const current = session()
    const isUsable = current !== null && options.epoch() !== null
    if (!isUsable || !(await isAlive(context))) return undefined
    const consumer = await current.js.consumers.get(names.eventStream, durable)
    messages = await consumer.consume({
      max_messages: PREFETCH,
      expires: PULL_MS,
      idle_heartbeat: PULL_HEARTBEAT_MS,
      // Repeats a lost pull without a request first, after whose failure the library pauses for the
      // lifetime of a pull.
      bind: true,
    })
    if (signal.aborted) messages.stop()
    for await (const message of messages) {
      start(message)
      while (inFlight.count() >= MAX_IN_FLIGHT) await inFlight.one()
      // Messages already pulled are redelivered after the ack wait; none is handled while Postgres
      // is unreachable.
      if (signal.aborted || (mayBeDisconnected && !(await isAlive(context)))) break
      mayBeDisconnected = false
    }
    return undefined
  }

  const stop = () => messages?.stop()
  signal.addEventListener('abort', stop, { once: true })
  const everyMs = context.intervals.reconnectMs
  const loop = startBusLoop({ name: durable, everyMs, signal, logger: context.logger, runOnce })
  return {
    restart() {
      stop()
      loop.wakeup.wake()
    },
    ended: loop.ended.then(() => inFlight.all()),
  }
}

/** Messages in flight: those of one aggregate run one after another, others concurrently. */
const createInFlight = () => {
  const inFlight = new Set<Promise<void>>()
  const lastByAggregate = new Map<string, Promise<void>>()
  return {
    add(aggregate: string, handle: () => Promise<void>) {
      const previous = lastByAggregate.get(aggregate) ?? Promise.resolve()
      const handled = previous.then(handle).finally(() => {
        inFlight.delete(handled)
        if (lastByAggregate.get(aggregate) === handled) lastByAggregate.delete(aggregate)
      })
      lastByAggregate.set(aggregate, handled)
      inFlight.add(handled)
    },
    count: () => inFlight.size,
    /** Resolves when one of the messages has been handled. */
    one: () => Promise.race(inFlight),
    /** Resolves when all messages have been handled. */
    async all() {
      await Promise.all(inFlight)
    },
  }
}

const aggregateOf = (message: JsMsg): string =>
  message.headers?.get(AGGREGATE_HEADER) || `seq:${message.seq}`

const isAlive = (context: HandlerContext): Promise<boolean> =>
  context.database.ping().then(
    () => true,
    () => false,
  )

/** Resolves false when the database may be unreachable. */
const handleMessage = async (options: PullConsumerOptions, message: JsMsg): Promise<boolean> => {
  const { context, handler, names } = options
  try {
    const handlerResult = await handleEvent(context, handler, {
      eventId: eventIdOf(message, options.epoch()),
      subject: names.plainSubject(message.subject),
      raw: Buffer.from(message.data),
      delivery: message.info.deliveryCount,
      traceparent: message.headers?.get(TRACE_HEADER) || null,
    })
    ignoreErrors(() => acknowledge(message, handlerResult))
    return handlerResult.result !== 'failed'
  } catch (error) {
    // The database was unreachable, so no attempt was counted; the message is redelivered.
    context.logger.debug(
      { err: error, consumer: handler.consumer },
      'message returned for redelivery',
    )
    ignoreErrors(() => message.nak(context.intervals.retryUnitMs))
    return false
  }
}

const acknowledge = (message: JsMsg, handlerResult: HandlerResult): void => {
  if ('pauseMs' in handlerResult) message.nak(handlerResult.pauseMs)
  // Plain `term()`: before 2.10.4 the server ignores a term with a reason and redelivers the
  // message.
  else if (handlerResult.result === 'quarantined') message.term()
  else message.ack()
}

/** Ignores an acknowledgement that cannot be sent; like a lost one, it leads to a redelivery. */
const ignoreErrors = (send: () => void): void => {
  try {
    send()
  } catch {
    // The connection is closed.
  }
}

/**
 * Event id from `{event_id}` or `{event_id}:r{n}`; without one, an id derived from the message's
 * sequence.
 */
const eventIdOf = (message: JsMsg, epoch: string | null): string => {
  const [id] = (message.headers?.get('Nats-Msg-Id') ?? '').split(':')
  return isUuid(id) ? id : uuidFromText(`${epoch}:${message.seq}`)
}

/** UUID of version 8 (RFC 9562, custom layout) from the hash of the text. */
export const uuidFromText = (text: string): string => {
  const hex = createHash('sha256').update(text).digest('hex')
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ]
  return [...parts, hex.slice(20, 32)].join('-')
}
