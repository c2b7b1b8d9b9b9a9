/** One reader who is told of changes, as server-sent events; who does not take them is let go. */
import { randomInt } from 'node:crypto'
import { Readable } from 'node:stream'

/** Beyond what the connection itself holds: no more is kept for who takes nothing. */
const MAX_WAITING_BYTES = 1_024
/** Spread, so that those whose streams ended together do not come back together. */
const RETRY_MS = { min: 2_000, max: 6_000 }

export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Never used for another request, so that its end is the connection's, too.
  connection: 'close',
  // Proxies that gather answers would hold back what is to be told at once.
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

  /** A comment: shows both ends that the other is there. */
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
