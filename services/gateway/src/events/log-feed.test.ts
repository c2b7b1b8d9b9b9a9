/** Feed of an organization: shared reads, slow readers, gaps, and readers far behind. */
import { clientEventId, MAX_STREAM_BACKLOG } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import t from 'tap'
import { LogFeed, type LogReader, selectionOf } from './log-feed.ts'
import { LogStream } from './log-stream.ts'
import type { LogRow } from './store.ts'

const BATCH_ROWS = 10
const idAt = (position: number) => `019a3c5e-7b1f-7c2a-9d4e-${String(position).padStart(12, '0')}`

const rowAt = (position: number, payload = '{"event":"incident.created"}'): LogRow => ({
  position,
  eventId: idAt(position),
  kind: position % 2 === 0 ? 'incident.created' : 'monitor.down',
  payload,
})

const stage = (payload?: string) => {
  let first = 1
  let head = 0
  const reads: number[] = []
  const errors: unknown[] = []
  const feed = new LogFeed({
    async read(after) {
      reads.push(after)
      if (head < 0) throw new Error('Postgres is down')
      const from = Math.max(after + 1, first)
      const length = Math.max(0, Math.min(BATCH_ROWS, head - from + 1))
      const rows = Array.from({ length }, (_none, index) => rowAt(from + index, payload))
      return { rows, head: head === 0 ? null : { position: head, eventId: idAt(head) } }
    },
    onError: (error) => void errors.push(error),
  })
  return {
    feed,
    reads,
    errors,
    append(position: number) {
      head = position
      feed.announce(position)
    },
    fail: () => {
      head = -1
    },
    deleteBefore: (position: number) => {
      first = position
    },
    setHead: (position: number) => {
      head = position
    },
  }
}

const readerAt = (
  feed: LogFeed,
  position: number,
  kinds = ['incident.created', 'monitor.down'],
) => {
  const stream = new LogStream()
  let isVerified = true
  const reader: LogReader = {
    stream,
    position,
    cursor: clientEventId(idAt(position)),
    sentCursor: '',
    kinds: selectionOf(kinds),
    isVerified: () => isVerified,
  }
  feed.readers.add(reader)
  let text = ''
  return {
    reader,
    stream,
    /** Reads the stream from now on. */
    consume() {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
    },
    verify(value: boolean) {
      isVerified = value
    },
    positions: () => [...text.matchAll(/^id: evt_.*-0*(\d+)$/gm)].map(([, found]) => Number(found)),
    text: () => text,
  }
}

const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_none, index) => first + index)

t.test('readers at different positions receive what follows, with shared reads', async (t) => {
  const { feed, reads, append, setHead } = stage()
  setHead(25)
  const clients = [readerAt(feed, 0), readerAt(feed, 0), readerAt(feed, 22), readerAt(feed, 25)]
  for (const client of clients) client.consume()
  append(30)
  await eventually(() => clients.every(({ positions }) => positions().at(-1) === 30))
  t.same(
    clients.map(({ positions }) => positions()),
    [upTo(30), upTo(30), upTo(30, 23), upTo(30, 26)],
  )
  t.ok(reads.length <= 6, `${reads.length} reads`)
})

t.test('a reader receives its kinds only, and its position passes the others', async (t) => {
  const { feed, append } = stage()
  const client = readerAt(feed, 0, ['monitor.down'])
  client.consume()
  append(4)
  await eventually(() => client.positions().length === 2)
  t.same(client.positions(), [1, 3])
  t.equal(client.reader.position, 4)
  t.not(client.reader.cursor, client.reader.sentCursor, 'the next heartbeat sends the cursor')
})

t.test('a reader that is not read buffers one batch and delays no other', async (t) => {
  const { feed, append } = stage(`{"text":"${'x'.repeat(4_000)}"}`)
  const slow = readerAt(feed, 0)
  const fast = readerAt(feed, 0)
  fast.consume()
  append(500)
  await eventually(() => fast.positions().length === 500)
  t.ok(slow.stream.readableLength < 100_000, `${slow.stream.readableLength} bytes wait`)
  slow.consume()
  await eventually(() => slow.positions().length === 500)
  t.same(slow.positions(), upTo(500))
})

t.test('a reader without a verified credential receives nothing until it is', async (t) => {
  const { feed, append } = stage()
  const client = readerAt(feed, 0)
  client.consume()
  client.verify(false)
  append(3)
  await new Promise(setImmediate)
  t.same(client.positions(), [])
  client.verify(true)
  feed.wake()
  await eventually(() => client.positions().length === 3)
})

t.test('deleted events and a long backlog are replaced by a resync', async (t) => {
  const { feed, append, deleteBefore } = stage()
  const gap = readerAt(feed, 2)
  gap.consume()
  deleteBefore(8)
  append(12)
  await eventually(() => gap.positions().length === 1)
  t.match(gap.text(), /event: resync\ndata: \{"event":"resync","reason":"too_far_behind"\}/)
  const late = readerAt(feed, 12)
  late.consume()
  append(13 + MAX_STREAM_BACKLOG)
  await eventually(() => late.positions().length > 0)
  t.match(late.text(), /event: resync/)
  append(14 + MAX_STREAM_BACKLOG)
  await eventually(() => late.positions().at(-1) === 14 + MAX_STREAM_BACKLOG)
  t.equal(late.positions().length, 2)
})

t.test('a failed read is repeated by the next wake, and nothing is lost', async (t) => {
  const { feed, append, errors, fail, setHead } = stage()
  const client = readerAt(feed, 0)
  client.consume()
  fail()
  feed.announce(3)
  await eventually(() => errors.length === 1)
  setHead(3)
  feed.wake()
  await eventually(() => client.positions().length === 3)
  append(5)
  await eventually(() => client.positions().length === 5)
  t.same(client.positions(), upTo(5))
})

t.test('a feed whose log was erased reads once', async (t) => {
  const { feed, reads, setHead } = stage()
  readerAt(feed, 0).consume()
  setHead(0)
  feed.announce(7)
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.equal(reads.length, 1)
})
