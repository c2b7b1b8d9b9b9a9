/** Server-sent event stream of one client. A client that does not read is disconnected. */
import { randomInt } from 'node:crypto'
import { Readable } from 'node:stream'

/** Maximum of unread bytes beyond the buffers of the connection. */
const MAX_WAITING_BYTES = 1_024
/**
 * Reconnect delays are spread, so that clients whose streams ended together do not reconnect
 * together.
 */
const RETRY_MS = { min: 2_000, max: 6_000 }

export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // The connection is never reused, so that the end of the stream closes it.
  connection: 'close',
  // Turns off response buffering in proxies, which would delay events.
  'x-accel-buffering': 'no',
} as const

export class EventStream extends Readable {
  #isFinished = false

  constructor() {
    super({ read() {} })
    this.#send(`retry: ${randomInt(RETRY_MS.min, RETRY_MS.max)}\n\n`)
  }

  sendData(data: string) {
    this.#send(`data: ${data}\n\n`)
  }

  /** Sends a comment, which lets both ends detect a broken connection. */
  heartbeat() {
    this.#send(':\n\n')
  }

  finish() {
    if (this.#isFinished) return
    this.#isFinished = true
    this.push(null)
  }

  #send(text: string) {
    if (this.#isFinished || this.destroyed) return
    if (this.readableLength > MAX_WAITING_BYTES) this.destroy()
    else this.push(text)
  }
}
