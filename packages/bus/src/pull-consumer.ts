/** One durable's messages into one reaction: a bounded number at once, each aggregate in its order. */
import { createHash } from 'node:crypto'
import type { ConsumerMessages, JsMsg } from 'nats'
import { isUuid } from './envelope.ts'
import type { EventHandler } from './event-handler.ts'
import { type HandlerContext, type HandlerResult, handleEvent } from './handle-event.ts'
import { startBusLoop } from './loop.ts'
import type { NatsSession } from './nats-client.ts'
import type { NatsNames } from './nats-names.ts'
import { AGGREGATE_HEADER } from './relay.ts'

/** Messages asked for in advance; ack_wait runs for them, so they are few. */
const PREFETCH = 32
const MAX_IN_FLIGHT = 8

export interface PullConsumer {
  /** Drops the standing request: the durable was made anew, or the connection. */
  restart(): void
  /** Resolves when the last message in flight has its verdict; the signal must be aborted. */
  ended: Promise<void>
}

export interface PullConsumerOptions {
  desk: HandlerContext
  reaction: EventHandler
  names: NatsNames
  durable: string
  session: () => NatsSession | null
  epoch: () => string | null
  signal: AbortSignal
}

export const startPullConsumer = (options: PullConsumerOptions): PullConsumer => {
  const { desk, names, durable, session, signal } = options
  const inFlight = new Set<Promise<void>>()
  const lanes = new Map<string, Promise<void>>()
  let messages: ConsumerMessages | null = null
  let isInDoubt = false

  /** The message starts when its lane is free; a lane is forgotten with its last message. */
  const start = (message: JsMsg) => {
    const lane = message.headers?.get(AGGREGATE_HEADER) || `seq:${message.seq}`
    const before = lanes.get(lane) ?? Promise.resolve()
    const working = setInterval(() => quietly(() => message.working()), desk.intervals.workingMs)
    const handled = before
      .then(async () => {
        if (signal.aborted) quietly(() => message.nak())
        else if (!(await take(options, message))) isInDoubt = true
      })
      .finally(() => {
        clearInterval(working)
        inFlight.delete(handled)
        if (lanes.get(lane) === handled) lanes.delete(lane)
      })
    lanes.set(lane, handled)
    inFlight.add(handled)
  }

  const turn = async () => {
    const current = session()
    if (current === null || !(await isAlive(desk))) return undefined
    const consumer = await current.js.consumers.get(names.eventStream, durable)
    messages = await consumer.consume({ max_messages: PREFETCH })
    if (signal.aborted) messages.stop()
    for await (const message of messages) {
      start(message)
      while (inFlight.size >= MAX_IN_FLIGHT) await Promise.race(inFlight)
      // What was fetched already comes again after ack_wait; while Postgres is away nothing is taken.
      if (signal.aborted || (isInDoubt && !(await isAlive(desk)))) break
      isInDoubt = false
    }
    return undefined
  }

  const stop = () => messages?.stop()
  signal.addEventListener('abort', stop, { once: true })
  const everyMs = desk.intervals.reconnectMs
  const loop = startBusLoop({ name: durable, everyMs, signal, logger: desk.logger, turn })
  return {
    restart() {
      stop()
      loop.wakeup.wake()
    },
    ended: loop.ended.then(async () => {
      await Promise.all(inFlight)
    }),
  }
}

const isAlive = (desk: HandlerContext): Promise<boolean> =>
  desk.database.ping().then(
    () => true,
    () => false,
  )

/** False when the database may be away. */
const take = async (options: PullConsumerOptions, message: JsMsg): Promise<boolean> => {
  const { desk, reaction, names } = options
  try {
    const verdict = await handleEvent(desk, reaction, {
      eventId: eventIdOf(message, options.epoch()),
      subject: names.plainSubject(message.subject),
      raw: Buffer.from(message.data),
      delivery: message.info.deliveryCount,
    })
    quietly(() => answer(message, verdict))
    return verdict.result !== 'failed'
  } catch (error) {
    // The database did not answer, so nothing was counted; the message comes back.
    desk.logger.debug(
      { err: error, consumer: reaction.consumer },
      'message returned for redelivery',
    )
    quietly(() => message.nak(desk.intervals.retryUnitMs))
    return false
  }
}

const answer = (message: JsMsg, verdict: HandlerResult): void => {
  if ('pauseMs' in verdict) message.nak(verdict.pauseMs)
  // Plain `term()`: before 2.10.4 a reason is ignored and the message comes back.
  else if (verdict.result === 'quarantined') message.term()
  else message.ack()
}

/** An answer that cannot be sent is the same as a lost one: the message comes again. */
const quietly = (send: () => void): void => {
  try {
    send()
  } catch {
    // The connection is closed.
  }
}

/** `{event_id}` or `{event_id}:r{n}`; without one, an id that the same message always gets. */
const eventIdOf = (message: JsMsg, epoch: string | null): string => {
  const [id] = (message.headers?.get('Nats-Msg-Id') ?? '').split(':')
  return isUuid(id) ? id : derivedId(`${epoch}:${message.seq}`)
}

/** A UUID of version 8 (RFC 9562: made by our own rule) from the text's hash. */
export const derivedId = (text: string): string => {
  const hex = createHash('sha256').update(text).digest('hex')
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ]
  return [...parts, hex.slice(20, 32)].join('-')
}
