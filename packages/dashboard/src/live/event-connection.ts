/**
 * Connection of the event stream. It reconnects with the last cursor, so that no event is missed,
 * and ends a connection that is silent. `EventSource` is not used: it hides heartbeats and the
 * status of a refused connection, and cannot begin with a cursor.
 */
import { createStreamParser, type StreamMessage } from './stream-parser.ts'

/** Interval of the heartbeats of the service (`GET /events/stream`). */
const HEARTBEAT_MS = 15_000
/** Time without contact after which data are stale: two heartbeats and a second of delay. */
export const STALE_AFTER_MS = 2 * HEARTBEAT_MS + 1_000

const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000

const UNAUTHORIZED = 401
const FORBIDDEN = 403
/** Statuses for a cursor that the event log does not contain. */
const CURSOR_STATUSES = [400, 404, 409]

export interface EventConnectionDeps {
  url: string
  signal: AbortSignal
  fetch: typeof globalThis.fetch
  /** Resolves after the delay, or earlier when a connection may succeed or the signal aborts. */
  delay(delayMs: number, signal: AbortSignal): Promise<void>
  /** The stream is open; without `isContinued`, earlier events may be missing. */
  onOpen(isContinued: boolean): void
  /** The stream has sent something; `cursor` is that of the next connection. */
  onContact(cursor: string | null): void
  onMessage(message: StreamMessage): void
}

/** End that is not followed by another connection: no session, or no right to read any event. */
export type StreamRefusal = 'unauthorized' | 'forbidden'

interface ConnectionState {
  cursor: string | null
  retryMs: number
}

/** Follows the stream until the signal aborts (null) or the service refuses it. */
export const followEvents = async (
  deps: EventConnectionDeps,
  cursor: string | null,
): Promise<StreamRefusal | null> => {
  const state: ConnectionState = { cursor, retryMs: FIRST_RETRY_MS }
  let failures = 0
  while (!deps.signal.aborted) {
    const status = await connect(deps, state)
    if (status === UNAUTHORIZED) return 'unauthorized'
    if (status === FORBIDDEN) return 'forbidden'
    if (CURSOR_STATUSES.includes(status)) state.cursor = null
    failures = isOk(status) ? 0 : failures + 1
    await deps.delay(backoffMs(state.retryMs, failures), deps.signal)
  }
  return null
}

const isOk = (status: number): boolean => status >= 200 && status < 300

/** Exponential backoff with jitter, so that browsers do not reconnect together. */
const backoffMs = (retryMs: number, failures: number): number => {
  const limitMs = Math.min(MAX_RETRY_MS, retryMs * 2 ** Math.min(failures, 10))
  return limitMs * (0.5 + Math.random() / 2)
}

/** Reads one connection to its end; returns its status, 0 without a response. */
const connect = async (deps: EventConnectionDeps, state: ConnectionState): Promise<number> => {
  const aborting = new AbortController()
  const abort = () => aborting.abort()
  let watchdog = setTimeout(abort, STALE_AFTER_MS)
  const onContact = () => {
    clearTimeout(watchdog)
    watchdog = setTimeout(abort, STALE_AFTER_MS)
    deps.onContact(state.cursor)
  }
  let status = 0
  try {
    const response = await deps.fetch(deps.url, {
      headers: headersOf(state.cursor),
      cache: 'no-store',
      redirect: 'manual',
      signal: AbortSignal.any([deps.signal, aborting.signal]),
    })
    status = response.status
    if (response.ok) await readStream(deps, { state, response, onContact })
  } catch {
    // The connection broke: the next one continues after the last cursor.
  } finally {
    clearTimeout(watchdog)
    abort()
  }
  return status
}

const headersOf = (cursor: string | null): Record<string, string> =>
  cursor === null ? {} : { 'last-event-id': cursor }

interface OpenStream {
  state: ConnectionState
  response: Response
  onContact(): void
}

const readStream = async (deps: EventConnectionDeps, stream: OpenStream): Promise<void> => {
  const { state, response, onContact } = stream
  if (response.body === null) return
  const parse = createStreamParser({
    onMessage: deps.onMessage,
    onCursor(cursor) {
      state.cursor = cursor
    },
    onRetry(delayMs) {
      state.retryMs = delayMs
    },
  })
  deps.onOpen(state.cursor !== null)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    parse(value)
    onContact()
  }
}
