/**
 * Feed of one organization: reads batches of its event log once for all streams of this process,
 * and sends each stream the events that follow its position. A stream that is not ready keeps its
 * position, so that nothing is queued for it.
 */
import { clientEventId, MAX_STREAM_BACKLOG } from '@status-page/contracts'
import type { LogStream } from './log-stream.ts'
import { entryText } from './rules.ts'
import type { LogHead, LogRow } from './store.ts'

/** Kinds of events that a stream sends. */
export interface KindSelection {
  /** Equal selections have equal keys. */
  key: string
  kinds: ReadonlySet<string>
}

export const selectionOf = (kinds: readonly string[]): KindSelection => ({
  key: kinds.toSorted().join(),
  kinds: new Set(kinds),
})

/** Stream with its position in the log. */
export interface LogReader {
  readonly stream: LogStream
  position: number
  /** Cursor of the position. */
  cursor: string
  /** Cursor that the client has. */
  sentCursor: string
  kinds: KindSelection
  /** Returns whether the credential is known to be valid. */
  isVerified(): boolean
}

export interface LogBatch {
  rows: LogRow[]
  /** Null before the first event, and after the organization was erased. */
  head: LogHead | null
}

interface LogFeedDeps {
  /** Reads a batch of events after the position, and the head. */
  read(after: number): Promise<LogBatch>
  onError(error: unknown): void
}

export class LogFeed {
  readonly readers = new Set<LogReader>()
  readonly #deps: LogFeedDeps
  /** Last known position of the log. */
  #target = 0
  #isReading = false
  /** Reads alternate between the newest and the oldest position, so that neither waits long. */
  #isNewestNext = true

  constructor(deps: LogFeedDeps) {
    this.#deps = deps
  }

  /** Returns whether the feed has no notification of the position yet. */
  isBehind(position: number): boolean {
    return position > this.#target
  }

  /** Sends the events up to the position. */
  announce(position: number): void {
    if (!this.isBehind(position)) return
    this.#target = position
    this.wake()
  }

  /** Sends what the readers lack, unless it is being sent. */
  wake(): void {
    if (!this.#isReading) void this.#sendAll()
  }

  async #sendAll(): Promise<void> {
    this.#isReading = true
    try {
      for (let after = this.#nextPosition(); after !== null; after = this.#nextPosition()) {
        const announced = this.#target
        const batch = await this.#deps.read(after)
        const headPosition = batch.head?.position ?? 0
        // A head below the announced position: the organization was erased.
        this.#target =
          this.#target === announced ? headPosition : Math.max(this.#target, headPosition)
        this.#deliver(after, batch)
      }
    } catch (error) {
      // The next wake reads again.
      this.#deps.onError(error)
    } finally {
      this.#isReading = false
    }
  }

  /** Position of a reader that lacks events and can take them; null without one. */
  #nextPosition(): number | null {
    const positions = [...this.readers]
      .filter((reader) => reader.position < this.#target && this.#canSend(reader))
      .map(({ position }) => position)
    if (positions.length === 0) return null
    this.#isNewestNext = !this.#isNewestNext
    const select = this.#isNewestNext ? Math.max : Math.min
    return positions.reduce((first, other) => select(first, other))
  }

  #canSend({ stream, isVerified }: LogReader): boolean {
    return isVerified() && stream.isReady(() => this.wake())
  }

  #deliver(after: number, { rows, head }: LogBatch): void {
    const text = createBatchText(rows)
    const last = rows.at(-1)
    for (const reader of this.readers) {
      if (reader.position < after || !this.#canSend(reader)) continue
      if (hasGap(reader, rows, head)) resync(reader, head, 'too_far_behind')
      else if (last !== undefined && reader.position < last.position) {
        const events = text(reader)
        reader.position = last.position
        reader.cursor = clientEventId(last.eventId)
        if (events === null) continue
        reader.stream.send(events.text)
        reader.sentCursor = events.cursor
      }
    }
  }
}

/** Positions are consecutive: a missing one was deleted by the retention. */
const hasGap = (
  { position }: LogReader,
  [first]: readonly LogRow[],
  head: LogHead | null,
): boolean => {
  const headPosition = head?.position ?? 0
  if (headPosition - position > MAX_STREAM_BACKLOG) return true
  return first === undefined ? position < headPosition : position < first.position - 1
}

export type ResyncReason = 'too_far_behind' | 'expired'

/** Sends that events are missing, and continues after the head. */
export const resync = (reader: LogReader, head: LogHead | null, reason: ResyncReason): void => {
  if (head === null) {
    reader.stream.finish()
    return
  }
  reader.position = head.position
  reader.cursor = clientEventId(head.eventId)
  reader.sentCursor = reader.cursor
  const data = JSON.stringify({ event: 'resync', reason })
  reader.stream.send(`id: ${reader.cursor}\nevent: resync\ndata: ${data}\n\n`)
}

interface SelectedEvents {
  text: Buffer
  /** Cursor of the last of the events. */
  cursor: string
}

type BatchText = (reader: Pick<LogReader, 'position' | 'kinds'>) => SelectedEvents | null

/** Text of a batch for a reader; readers with the same position and kinds share one buffer. */
const createBatchText = (rows: readonly LogRow[]): BatchText => {
  const lines = new Map<LogRow, string>()
  const lineOf = (row: LogRow): string => {
    const line = lines.get(row) ?? sseText(row)
    lines.set(row, line)
    return line
  }
  const selections = new Map<string, SelectedEvents | null>()
  return ({ position, kinds: { key, kinds } }) => {
    const selectionKey = `${position} ${key}`
    const known = selections.get(selectionKey)
    if (known !== undefined) return known
    const selected = rows.filter((row) => row.position > position && kinds.has(row.kind))
    const last = selected.at(-1)
    const text = selected.map(lineOf).join('')
    const events =
      last === undefined ? null : { text: Buffer.from(text), cursor: clientEventId(last.eventId) }
    selections.set(selectionKey, events)
    return events
  }
}

const sseText = (row: LogRow): string =>
  `id: ${clientEventId(row.eventId)}\nevent: ${row.kind}\ndata: ${entryText(row)}\n\n`
