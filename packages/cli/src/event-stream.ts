/**
 * Follows the event stream of the service. After a cut it continues with the last id, so that no
 * event is lost or repeated.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, type Schemas } from '@status-page/client'

export type EventKind = Schemas['StreamEntry']['event']

export interface FollowedEvent {
  /** Kind of the event, or `resync`. */
  event: string
  /** Entry as JSON. */
  data: string
}

export interface EventSource {
  /** Opens the stream after the event of this id; undefined: at its beginning. */
  open(lastEventId: string | undefined, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
  /** Called when the connection is lost after it was open. */
  onCut(reason: string): void
}

/** The service sends a comment every 15 s. */
const STALL_MS = 45_000
const RETRY_MS = { first: 1_000, max: 30_000 }

/** Yields events until the service refuses the stream; a first connection that fails is an error. */
export async function* followEvents(source: EventSource): AsyncGenerator<FollowedEvent> {
  const parser = new EventStreamParser()
  let delayMs = RETRY_MS.first
  let hasOpened = false
  for (;;) {
    const watch = new StallWatch()
    try {
      const stream = await source.open(parser.lastEventId, watch.signal)
      hasOpened = true
      const decoder = new TextDecoder()
      for await (const bytes of stream) {
        watch.restart()
        delayMs = RETRY_MS.first
        yield* parser.push(decoder.decode(bytes, { stream: true }))
      }
      source.onCut('the service closed it')
    } catch (error) {
      if (!hasOpened || isRefusal(error)) throw error
      source.onCut(watch.signal.aborted ? 'nothing was received' : (error as Error).message)
    } finally {
      watch.stop()
    }
    parser.discardPartialEvent()
    await pause(Math.max(delayMs, parser.retryMs))
    delayMs = Math.min(2 * delayMs, RETRY_MS.max)
  }
}

/** A refusal that another attempt does not change, such as that of a revoked key. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.status !== 429

/** Aborts a connection on which nothing arrives. */
class StallWatch {
  readonly #aborting = new AbortController()
  #timer = this.#arm()

  get signal(): AbortSignal {
    return this.#aborting.signal
  }

  restart(): void {
    this.stop()
    this.#timer = this.#arm()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #arm(): NodeJS.Timeout {
    return setTimeout(() => this.#aborting.abort(), STALL_MS)
  }
}

const FIELD = /^([^:]*):? ?(.*)$/

/** Parser of server-sent events, by the rules of the HTML standard for `EventSource`. */
class EventStreamParser {
  /** Id of the last complete block; undefined before the first one. */
  lastEventId: string | undefined
  /** Delay before a reconnect, as the service requests it. */
  retryMs = 0
  #pending = ''
  #id: string | undefined
  #event = ''
  #data: string[] = []

  /** Drops what a cut left incomplete. */
  discardPartialEvent(): void {
    this.#pending = ''
    this.#id = this.lastEventId
    this.#clear()
  }

  *push(text: string): Generator<FollowedEvent> {
    const lines = (this.#pending + text).split('\n')
    this.#pending = lines.pop() ?? ''
    for (const line of lines) {
      if (line !== '') this.#readField(line)
      else {
        // Only now: of an event whose end is missing, the id must not be skipped.
        this.lastEventId = this.#id
        if (this.#data.length > 0) yield { event: this.#event, data: this.#data.join('\n') }
        this.#clear()
      }
    }
  }

  #clear(): void {
    this.#event = ''
    this.#data = []
  }

  #readField(line: string): void {
    const [, name = '', value = ''] = FIELD.exec(line) ?? []
    if (name === 'id') this.#id = value
    else if (name === 'event') this.#event = value
    else if (name === 'data') this.#data.push(value)
    else if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value)
  }
}
