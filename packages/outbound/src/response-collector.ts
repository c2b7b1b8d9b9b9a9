/**
 * Response of a request over a keep-alive connection. A body without a content coding is collected
 * from the events of undici: a stream for the few bytes of most responses cost a fifth of a
 * request.
 */
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { type CappedBody, joinChunks } from './body.ts'
import { OutboundFailure } from './failure.ts'

type Controller = Dispatcher.DispatchController
type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

export interface TransportResponse {
  status: number
  /** Names in lower case; repeated ones joined by a comma. */
  headers: Record<string, string>
  /** Time at which the headers arrived, of `performance.now()`. */
  headersAt: number
  /** Body, or its bytes as they arrive. */
  body: CappedBody | Readable
}

export class ResponseCollector implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number
  readonly #response = Promise.withResolvers<TransportResponse>()
  readonly #chunks: Buffer[] = []
  #controller: Controller | null = null
  #isAborted = false
  #head: Omit<TransportResponse, 'body'> | null = null
  #bytes = 0
  /** Body with a content coding, which its reader decodes. */
  #encoded: Readable | null = null

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Resolves after the whole body, or after the headers when the body has a content coding. */
  get response(): Promise<TransportResponse> {
    return this.#response.promise
  }

  abort(): void {
    this.#isAborted = true
    this.#controller?.abort(new OutboundFailure('timeout'))
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#isAborted) controller.abort(new OutboundFailure('timeout'))
  }

  onResponseStart(controller: Controller, status: number, headers: Headers): void {
    // An informational response precedes the final one.
    if (status < 200) return
    this.#head = { status, headers: flattenHeaders(headers), headersAt: performance.now() }
    if (headers['content-encoding'] === undefined) return
    this.#encoded = readableOf(controller)
    this.#response.resolve({ ...this.#head, body: this.#encoded })
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#encoded !== null) {
      if (!this.#encoded.push(chunk)) controller.pause()
      return
    }
    const room = this.#maxBytes - this.#bytes
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    this.#bytes += chunk.length
    if (this.#bytes <= this.#maxBytes) return
    this.#settle({ body: joinChunks(this.#chunks), truncated: true })
    controller.abort(new OutboundFailure('too_large'))
  }

  onResponseEnd(): void {
    if (this.#encoded === null) this.#settle({ body: joinChunks(this.#chunks), truncated: false })
    else this.#encoded.push(null)
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#response.reject(error)
    this.#encoded?.destroy(error)
  }

  #settle(body: CappedBody): void {
    if (this.#head !== null) this.#response.resolve({ ...this.#head, body })
  }
}

const readableOf = (controller: Controller): Readable => {
  const stream = new Readable({
    read: () => controller.resume(),
    destroy(error, done) {
      if (!stream.readableEnded) controller.abort(error ?? new OutboundFailure('protocol_error'))
      // Its reader attaches its listeners in a microtask, after this tick.
      setImmediate(done, error)
    },
  })
  return stream
}

const flattenHeaders = (headers: Headers): Record<string, string> => {
  const flattened: Record<string, string> = {}
  for (const [name, value = ''] of Object.entries(headers)) {
    flattened[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return flattened
}
