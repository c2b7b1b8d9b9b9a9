/**
 * Server-sent event stream of one client. A client that reads slowly receives nothing more until
 * it has read what waits, so that the memory of a stream is bounded.
 */
import { randomInt } from 'node:crypto'
import { Readable } from 'node:stream'

/** Unread bytes from which on a stream is not ready, beyond the buffers of the connection. */
const MAX_WAITING_BYTES = 16 * 1024
/** Time after which a stream that is not read is stalled. */
const MAX_FULL_MS = 60_000
/** Reconnect delays are spread, so that clients of a killed gateway do not reconnect together. */
const RETRY_MS = { min: 1_000, max: 4_000 }

export class LogStream extends Readable {
  #isFinished = false
  /** Time since which the client has to read; null: the stream can take more. */
  #fullSinceMs: number | null = null
  /** Called once when the client has read enough. */
  #onReady: (() => void) | null = null

  constructor() {
    super({ highWaterMark: MAX_WAITING_BYTES })
  }

  override _read() {
    this.#fullSinceMs = null
    const onReady = this.#onReady
    this.#onReady = null
    onReady?.()
  }

  get isOpen(): boolean {
    return !this.#isFinished && !this.destroyed
  }

  /** Returns whether the client can take more; otherwise calls back once it can. */
  isReady(onReady: () => void): boolean {
    if (!this.isOpen) return false
    if (this.#fullSinceMs === null) return true
    this.#onReady = onReady
    return false
  }

  isStalled(): boolean {
    return this.#fullSinceMs !== null && performance.now() - this.#fullSinceMs > MAX_FULL_MS
  }

  /** Sends the reconnect delay and, without an event, the cursor of the client's next reconnect. */
  begin(cursor: string | null) {
    this.send(`retry: ${randomInt(RETRY_MS.min, RETRY_MS.max)}\n${idField(cursor)}\n`)
  }

  /** Sends a comment, which lets both ends detect a broken connection, and the new cursor. */
  heartbeat(cursor: string | null) {
    this.send(`:\n${idField(cursor)}\n`)
  }

  send(events: string | Buffer) {
    if (this.isOpen && !this.push(events)) this.#fullSinceMs ??= performance.now()
  }

  finish() {
    if (this.#isFinished) return
    this.#isFinished = true
    this.push(null)
  }
}

/** A block with an id alone changes the cursor of the client without an event. */
const idField = (cursor: string | null) => (cursor === null ? '' : `id: ${cursor}\n`)
