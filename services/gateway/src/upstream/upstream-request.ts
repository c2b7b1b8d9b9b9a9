/**
 * Request to an inner service. A small response is one buffer, a large one a stream with
 * backpressure. The handler is our own, because undici's `request` builds a stream for every
 * response, which costs more than everything else of a small one.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { AppError, type Operation } from '@status-page/contracts'
import type { Dispatcher, Pool } from 'undici'
import { connectionErrorCode, serviceOverloaded, upstreamErrorOf } from './faults.ts'
import type { Upstream } from './upstreams.ts'

const MAX_BUFFERED_BYTES = 1024 * 1024

export interface UpstreamResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer | Readable
}

/** Discards the body of an unused response; an unread body would block its connection. */
export const discardBody = ({ body }: UpstreamResponse): void => {
  if (body instanceof Readable) body.destroy()
}

/** Maximum of concurrent requests per service, so that a hanging one does not block the others. */
const MAX_IN_FLIGHT = 512

export const requestUpstream = async (
  upstream: Upstream,
  { service }: Operation,
  request: Dispatcher.DispatchOptions,
): Promise<UpstreamResponse> => {
  if (upstream.inFlight >= MAX_IN_FLIGHT) throw serviceOverloaded(service)
  upstream.inFlight++
  try {
    const response = await sendRequest(upstream.pool, request)
    const type = String(response.headers['content-type'] ?? '')
    if (response.status < 500 || type.startsWith('application/json')) return response
    discardBody(response)
  } catch (error) {
    throw upstreamErrorOf(error, service)
  } finally {
    upstream.inFlight--
  }
  throw new AppError('UPSTREAM_ERROR', `${service} returned an invalid response`)
}

/**
 * Rejects with undici's error when a small response is incomplete, or the head of a large one is
 * missing. Repeats a GET request once when a pooled connection was closed by the service.
 */
export const sendRequest = (
  pool: Pool,
  request: Dispatcher.DispatchOptions,
): Promise<UpstreamResponse> =>
  new Promise((resolve, reject) => {
    const retryOrReject = (error: Error) => {
      if (!isStaleConnection(request, error)) return reject(error)
      pool.dispatch(request, new Receiver(resolve, reject))
    }
    pool.dispatch(request, new Receiver(resolve, retryOrReject))
  })

const connectionErrors = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

const isStaleConnection = ({ method }: Dispatcher.DispatchOptions, error: Error): boolean =>
  method === 'GET' && connectionErrors.has(connectionErrorCode(error))

class Receiver implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: UpstreamResponse) => void
  readonly #reject: (error: Error) => void
  #head: Omit<UpstreamResponse, 'body'> | null = null
  #chunks: Buffer[] = []
  #stream: Readable | null = null

  constructor(resolve: (response: UpstreamResponse) => void, reject: (error: Error) => void) {
    this.#resolve = resolve
    this.#reject = reject
  }

  onRequestStart() {}

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ) {
    // Informational response: the final one follows.
    if (status < 200) return
    this.#head = { status, headers }
    if (isSmall(status, headers)) return
    this.#stream = new Readable({
      read: () => controller.resume(),
      destroy(error, done) {
        // Cancels the rest of the response; has no effect after its end.
        controller.abort(error ?? new Error('the response is no longer needed'))
        done(error)
      },
    })
    // The stream may fail before a consumer attaches; the consumer then finds it destroyed.
    this.#stream.on('error', () => {})
    this.#resolve({ ...this.#head, body: this.#stream })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#stream === null) this.#chunks.push(chunk)
    else if (!this.#stream.push(chunk)) controller.pause()
  }

  onResponseEnd() {
    const [first, ...others] = this.#chunks
    if (this.#stream !== null) this.#stream.push(null)
    else if (this.#head !== null) {
      const body = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#chunks)
      this.#resolve({ ...this.#head, body })
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error) {
    if (this.#stream === null) this.#reject(error)
    else this.#stream.destroy(error)
  }
}

const NO_CONTENT = 204

const isSmall = (status: number, headers: IncomingHttpHeaders): boolean =>
  status === NO_CONTENT || Number(headers['content-length'] ?? Number.NaN) <= MAX_BUFFERED_BYTES
