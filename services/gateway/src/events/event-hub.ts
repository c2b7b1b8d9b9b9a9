/**
 * Event streams of this process. Postgres notifies of appended events; the feed of an organization
 * reads them once for all its streams. Streams send only what their credential permits at that
 * time.
 */
import type { Readable } from 'node:stream'
import { Semaphore } from '@status-page/concurrency'
import {
  EARLIEST_CURSOR,
  type Grants,
  MAX_STREAM_BACKLOG,
  type StreamedKind,
  unauthorized,
  unavailable,
} from '@status-page/contracts'
import { asWorkerRaw, type Database, read, type Scope } from '@status-page/postgres'
import type { BackgroundWork, Logger } from '@status-page/service'
import { type Credentials, organizationRevocationKey } from '../identity/sessions/credentials.ts'
import {
  CredentialWatch,
  type CredentialWatcher,
  type PresentedStreamCredential,
  type WatchedCredential,
} from './credential-watch.ts'
import { positionOfCursor } from './cursor.ts'
import { type EventStreamBounds, EventStreamQuota } from './event-stream-quota.ts'
import { type LogBatch, LogFeed, type LogReader, resync, selectionOf } from './log-feed.ts'
import { LogStream } from './log-stream.ts'
import { isPastRetention, permittedKinds, selectKinds, toClientCursor } from './rules.ts'
import { EVENT_LOG_CHANNEL, type LogHead, logHead, logHeads, readEvents } from './store.ts'

const TICK_MS = 1_000
/** Ticks between two heartbeats of a stream; below the idle timeout of common proxies. */
const HEARTBEAT_TICKS = 15
/** Ticks between two queries for events whose notification was lost. */
const POLL_TICKS = 5
/** Concurrent reads of batches, of the ten connections of the process. */
const MAX_READS = 4
/** Bounds of a batch; a slow client has at most one unread. */
const BATCH_EVENTS = 200
const BATCH_BYTES = 32 * 1024
/** Delay before the next attempt when the process stops; other replicas serve it. */
const RETRY_AFTER_SECONDS = 1

export interface StreamRequest extends PresentedStreamCredential {
  grants: Grants
  rateKey: string
  /** Named kinds; undefined: all that the caller may read. */
  named: readonly StreamedKind[] | undefined
  /** Event id, `earliest`, or null for a stream of new events. */
  cursor: string | null
  /** The cursor is of an earlier stream: when it has expired, the client is sent a resync. */
  isReconnect: boolean
}

export interface EventHub {
  /**
   * Opens a stream; throws 401 and 403 by the present grants, 404 and 409 for the cursor, 429 and
   * 503 when there are too many streams.
   */
  open(request: StreamRequest): Promise<Readable>
  /** Ends every stream and rejects new ones. */
  close(): void
  background: BackgroundWork
  openStreams(): number
}

interface EventHubDeps {
  database: Database
  credentials: Pick<Credentials, 'identify' | 'onRevoked'>
  bounds: EventStreamBounds
  logger: Pick<Logger, 'warn'>
}

export const createEventHub = (deps: EventHubDeps): EventHub => new LogEventHub(deps)

/** Reader with its credential. */
interface HubReader extends LogReader, CredentialWatcher {
  readonly credential: WatchedCredential
  readonly heartbeatTick: number
}

class LogEventHub implements EventHub {
  readonly #deps: EventHubDeps
  readonly #quota: EventStreamQuota
  readonly #reads = new Semaphore({ slots: MAX_READS })
  readonly #watch: CredentialWatch
  readonly #feeds = new Map<string, LogFeed>()
  readonly #readers = new Set<HubReader>()
  readonly background: BackgroundWork
  #ticks = 0
  /** Null without readers. */
  #timer: NodeJS.Timeout | null = null
  #isPolling = false
  #isClosed = false

  constructor(deps: EventHubDeps) {
    const { credentials } = deps
    this.#deps = deps
    this.#quota = new EventStreamQuota(deps.bounds)
    this.#watch = new CredentialWatch({ credentials })
    credentials.onRevoked((revocationKey) => this.#watch.onRevoked(revocationKey))
    this.background = this.#createBackground()
  }

  openStreams(): number {
    return this.#quota.taken
  }

  async open(request: StreamRequest): Promise<Readable> {
    if (this.#isClosed) throw stopping()
    const kinds = selectKinds(request.grants, request.named)
    const release = this.#quota.take(request)
    const reader = this.#createReader(request, kinds)
    const { stream, credential } = reader
    const feed = this.#join(reader)
    stream.once('close', () => {
      release()
      this.#leave(reader)
    })
    try {
      // Also verifies what was revoked since the request was authenticated.
      const grants = await credential.grants()
      if (grants === null) throw unauthorized()
      selectKinds(grants, request.named)
      await this.#begin(reader, request, feed)
      if (this.#isClosed) throw stopping()
      return stream
    } catch (error) {
      stream.destroy()
      throw error
    }
  }

  close() {
    this.#isClosed = true
    for (const { stream } of this.#readers) stream.finish()
  }

  #createReader(request: StreamRequest, kinds: readonly StreamedKind[]): HubReader {
    const stream = new LogStream()
    const credential = this.#watch.credentialOf(request)
    const reader: HubReader = {
      stream,
      credential,
      // Unknown: nothing is sent.
      position: Number.POSITIVE_INFINITY,
      cursor: EARLIEST_CURSOR,
      sentCursor: EARLIEST_CURSOR,
      kinds: selectionOf(kinds),
      heartbeatTick: this.#ticks % HEARTBEAT_TICKS,
      isVerified: () => credential.isVerified,
      onGrants: (grants) => {
        const permitted = permittedKinds(grants, request.named)
        if (permitted.length === 0) stream.finish()
        reader.kinds = selectionOf(permitted)
        this.#feeds.get(credential.organizationId)?.wake()
      },
      onRevoked: () => stream.finish(),
    }
    credential.watch(reader)
    return reader
  }

  /**
   * Adds the reader to the feed before its position is read, so that the feed is notified of every
   * event after the head.
   */
  #join(reader: HubReader): LogFeed {
    const { organizationId } = reader.credential
    const feed = this.#feeds.get(organizationId) ?? this.#createFeed(organizationId)
    this.#feeds.set(organizationId, feed)
    feed.readers.add(reader)
    this.#readers.add(reader)
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS)
    return feed
  }

  #leave(reader: HubReader) {
    const { credential } = reader
    const { organizationId } = credential
    credential.unwatch(reader)
    this.#readers.delete(reader)
    if (this.#readers.size === 0) this.#stopTicking()
    const feed = this.#feeds.get(organizationId)
    feed?.readers.delete(reader)
    if (feed?.readers.size === 0) this.#feeds.delete(organizationId)
  }

  /** Sends the first block and sets the position of the cursor. */
  async #begin(reader: HubReader, { cursor, isReconnect }: StreamRequest, feed: LogFeed) {
    const { database } = this.#deps
    const { head, position } = await read(database, reader.credential.organizationId, (scope) =>
      startOf(scope, cursor, isReconnect),
    )
    const headPosition = head?.position ?? 0
    // A client without a cursor receives one, so that it misses nothing when it reconnects.
    const first = cursor === null ? cursorOf(head) : null
    reader.stream.begin(first)
    reader.cursor = cursor === null ? cursorOf(head) : toClientCursor(cursor)
    reader.sentCursor = reader.cursor
    if (position === null) resync(reader, head, 'expired')
    else if (headPosition - position > MAX_STREAM_BACKLOG) resync(reader, head, 'too_far_behind')
    else reader.position = position
    feed.announce(headPosition)
    feed.wake()
  }

  #createFeed(organizationId: string): LogFeed {
    const { database } = this.#deps
    const readBatch = (after: number): Promise<LogBatch> =>
      read(database, organizationId, async (scope) => {
        const head = await logHead(scope)
        const until = head?.position ?? 0
        const range = { after, until, limit: BATCH_EVENTS, maxBytes: BATCH_BYTES }
        return { head, rows: await readEvents(scope, range) }
      })
    return new LogFeed({
      read: (after) => this.#reads.run(() => readBatch(after), organizationId),
      onError: (error) => this.#warn(error, 'failed to read events'),
    })
  }

  #createBackground(): BackgroundWork {
    let subscription: { close(): Promise<void> } | null = null
    return {
      start: async () => {
        const onNotify = (text: string) => this.#onAppended(text)
        const onListening = () => void this.#poll()
        subscription = await this.#deps.database.listen(EVENT_LOG_CHANNEL, onNotify, {
          onListening,
        })
      },
      stop: async () => {
        this.#stopTicking()
        await subscription?.close()
      },
    }
  }

  #stopTicking() {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #onAppended(text: string) {
    const separator = text.indexOf(':')
    this.#feeds.get(text.slice(0, separator))?.announce(Number(text.slice(separator + 1)))
  }

  #tick() {
    this.#ticks++
    this.#watch.verifyDue()
    const heartbeatTick = this.#ticks % HEARTBEAT_TICKS
    for (const reader of this.#readers) {
      if (reader.stream.isStalled()) reader.stream.destroy()
      else if (reader.heartbeatTick === heartbeatTick) heartbeat(reader)
    }
    // Repeats reads that failed.
    for (const feed of this.#feeds.values()) feed.wake()
    if (this.#ticks % POLL_TICKS === 0) void this.#poll()
  }

  /** Reads the heads of all organizations with streams: a notification may have been lost. */
  async #poll(): Promise<void> {
    if (this.#isPolling || this.#feeds.size === 0) return
    this.#isPolling = true
    try {
      const heads = await asWorkerRaw(this.#deps.database, (systemScope) =>
        logHeads(systemScope, [...this.#feeds.keys()]),
      )
      for (const [organizationId, { position }] of heads) {
        if (this.#feeds.get(organizationId)?.isBehind(position) !== true) continue
        // A revocation may have been lost with the notification.
        this.#watch.onRevoked(organizationRevocationKey(organizationId))
        this.#feeds.get(organizationId)?.announce(position)
      }
    } catch (error) {
      this.#warn(error, 'failed to read the heads of event logs')
    } finally {
      this.#isPolling = false
    }
  }

  #warn(error: unknown, message: string) {
    this.#deps.logger.warn({ err: error }, message)
  }
}

/** Position at which a stream begins; null when the cursor of a reconnect has expired. */
const startOf = async (
  scope: Scope,
  cursor: string | null,
  isReconnect: boolean,
): Promise<{ head: LogHead | null; position: number | null }> => {
  if (cursor !== null && !(isReconnect && isPastRetention(cursor, scope.now))) {
    return positionOfCursor(scope, cursor)
  }
  const head = await logHead(scope)
  const isExpired = cursor !== null && head?.eventId !== cursor
  return { head, position: isExpired ? null : (head?.position ?? 0) }
}

const heartbeat = (reader: HubReader) => {
  const isNew = reader.cursor !== reader.sentCursor
  reader.stream.heartbeat(isNew ? reader.cursor : null)
  reader.sentCursor = reader.cursor
}

const cursorOf = (head: LogHead | null) => toClientCursor(head?.eventId ?? EARLIEST_CURSOR)

const stopping = () => unavailable('The service is stopping', RETRY_AFTER_SECONDS)
