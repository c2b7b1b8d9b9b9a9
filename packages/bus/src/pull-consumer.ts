/**
 * Pull consumer of one durable: bounded concurrency, messages of one aggregate, or of one
 * organization for a batched handler, in order.
 */
import { createHash } from 'node:crypto'
import { Wakeup } from '@status-page/concurrency'
import type { ConsumerMessages, JsMsg } from 'nats'
import { isUuid } from './envelope.ts'
import type { EventHandler, HandlerContext, HandlerResult } from './event-handler.ts'
import { handleEvents } from './handle-event.ts'
import { startBusLoop } from './loop.ts'
import type { NatsSession } from './nats-client.ts'
import type { NatsNames } from './nats-names.ts'
import { AGGREGATE_HEADER, TRACE_HEADER } from './relay.ts'

/** Messages pulled in advance; few, because their ack wait already runs. */
const PREFETCH = 32
/** Ordering keys in flight, each with one transaction at a time. */
const MAX_KEYS = 8
/** Messages in flight, of which those of one ordering key wait for each other. */
const MAX_MESSAGES = 64
/** Messages of one transaction of a batched handler. */
const MAX_BATCH = 32
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
  const { context, handler, names, durable, session, signal } = options
  let messages: ConsumerMessages | null = null
  let mayBeDisconnected = false

  const inFlight = createInFlight(handler.isBatched === true ? MAX_BATCH : 1, async (batch) => {
    if (signal.aborted) for (const message of batch) ignoreErrors(() => message.nak())
    else if (!(await handleMessages(options, batch))) mayBeDisconnected = true
  })

  const start = (message: JsMsg) => {
    const { workingMs } = context.intervals
    const working = setInterval(() => ignoreErrors(() => message.working()), workingMs)
    inFlight.add(orderingKeyOf(handler, message), message, () => clearInterval(working))
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
      while (inFlight.isFull()) await inFlight.progress()
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
    ended: loop.ended.then(inFlight.ended),
  }
}

interface WaitingMessage {
  message: JsMsg
  onHandled(): void
}

/**
 * Messages in flight by ordering key. Those of one key are handled one batch after another, each
 * with the messages that arrived in the meantime; keys are handled concurrently.
 */
const createInFlight = (maxBatch: number, handle: (batch: readonly JsMsg[]) => Promise<void>) => {
  const waiting = new Map<string, WaitingMessage[]>()
  const running = new Set<Promise<void>>()
  const handled = new Wakeup()
  let count = 0

  const run = async (key: string, queue: WaitingMessage[]) => {
    while (queue.length > 0) {
      const batch = queue.splice(0, maxBatch)
      await handle(batch.map(({ message }) => message))
      for (const { onHandled } of batch) onHandled()
      count -= batch.length
      handled.wake()
    }
    waiting.delete(key)
  }

  return {
    add(key: string, message: JsMsg, onHandled: () => void) {
      count++
      const queue = waiting.get(key)
      if (queue !== undefined) {
        queue.push({ message, onHandled })
        return
      }
      const first = [{ message, onHandled }]
      waiting.set(key, first)
      const ended = run(key, first).finally(() => {
        running.delete(ended)
        handled.wake()
      })
      running.add(ended)
    },
    isFull: () => running.size >= MAX_KEYS || count >= MAX_MESSAGES,
    /** Resolves when further messages have been handled. */
    progress: () => handled.wait(Number.POSITIVE_INFINITY),
    /** Resolves when all messages have been handled. */
    async ended() {
      await Promise.all(running)
    },
  }
}

/** A subject ends with the id of the organization. */
const orderingKeyOf = ({ isBatched }: EventHandler, { subject, headers, seq }: JsMsg): string =>
  isBatched === true
    ? subject.slice(subject.lastIndexOf('.'))
    : headers?.get(AGGREGATE_HEADER) || `seq:${seq}`

const isAlive = (context: HandlerContext): Promise<boolean> =>
  context.database.ping().then(
    () => true,
    () => false,
  )

/** Resolves false when the database may be unreachable. */
const handleMessages = async (
  options: PullConsumerOptions,
  messages: readonly JsMsg[],
): Promise<boolean> => {
  const { context, handler, names } = options
  const events = messages.map((message) => ({
    eventId: eventIdOf(message, options.epoch()),
    subject: names.plainSubject(message.subject),
    raw: Buffer.from(message.data),
    delivery: message.info.deliveryCount,
    traceparent: message.headers?.get(TRACE_HEADER) || null,
  }))
  try {
    const results = await handleEvents(context, handler, events)
    for (const [index, handlerResult] of results.entries()) {
      ignoreErrors(() => acknowledge(messages[index] as JsMsg, handlerResult))
    }
    return results.every(({ result }) => result !== 'failed')
  } catch (error) {
    // The database was unreachable, so no attempt was counted; the messages are redelivered.
    const { consumer } = handler
    context.logger.debug({ err: error, consumer }, 'messages returned for redelivery')
    for (const message of messages) ignoreErrors(() => message.nak(context.intervals.retryUnitMs))
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
