/** Event streams: sent versions, number of upstream requests, and ends of streams. */
import { Readable } from 'node:stream'
import { eventually } from '@status-page/testing'
import t, { type Test } from 'tap'
import { noDiskStore } from '../page-cache/disk-store.ts'
import { createPageCache } from '../page-cache/page-cache.ts'
import type { UpstreamResponse } from '../upstream/upstream-request.ts'
import { EventStream } from './event-stream.ts'
import { createPageEventHub, type OpenStreamResult, type SseClient } from './page-events.ts'
import type { StreamBounds } from './stream-quota.ts'

const ACME = 'organization-1'
const READER = '192.0.2.1'

const OTHERS = 'organization-2'

const page = (
  version: string,
  cacheControl = 'public, max-age=30',
  owner = ACME,
): UpstreamResponse => ({
  status: 200,
  headers: {
    'cache-control': cacheControl,
    'content-type': 'text/html',
    etag: `"${version}"`,
    'x-internal-organization': owner,
  },
  body: Buffer.from(`<main data-live="60" data-version="${version}">`),
})

const forSome = (version: string) => page(version, 'no-store')
const failing: UpstreamResponse = { status: 503, headers: {}, body: Buffer.from('{}') }
const unknown: UpstreamResponse = { status: 404, headers: {}, body: Buffer.from('nothing here') }

const start = (t: Test, bounds?: StreamBounds) => {
  let passedMs = 0
  const now = () => Date.now() + passedMs
  const cache = createPageCache({ disk: noDiskStore, now })
  cache.setInvalidationConnected(true)
  const live = createPageEventHub({ cache, now, ...(bounds === undefined ? {} : { bounds }) })
  t.teardown(() => live.close())
  let response: (who: string) => UpstreamResponse = () => page('one')
  let requestCount = 0
  const open = (who = READER, key = 'k', session: SseClient['session'] = null) =>
    live.open(
      {
        key,
        slug: 'acme',
        async load() {
          requestCount++
          return response(who)
        },
      },
      { address: who, session },
    )
  return {
    cache,
    live,
    open,
    subscribe: async (who?: string) => readerOf(await open(who)),
    requestCount: () => requestCount,
    /**
     * Follows a page of another organization; its refresh shows that earlier refreshes are done.
     */
    async followOthers() {
      let refreshCount = 0
      const load = async () => {
        refreshCount++
        return page('theirs', undefined, OTHERS)
      }
      const reader = readerOf(
        await live.open(
          { key: 'theirs', slug: 'theirs', load },
          { address: READER, session: null },
        ),
      )
      return { ...reader, refreshCount: () => refreshCount }
    },
    /** Moves the clock past the minimum interval between refreshes. */
    passSecond() {
      passedMs += 1_001
    },
    respondWith(next: UpstreamResponse | ((who: string) => UpstreamResponse)) {
      response = typeof next === 'function' ? next : () => next
    },
  }
}

/** Reads the stream, as a browser does. */
const readerOf = (opened: OpenStreamResult) => {
  if (opened.kind !== 'stream') throw new Error(`not a stream: ${opened.kind}`)
  const { stream } = opened
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return {
    versions: () => [...text.matchAll(/^data: (.+)$/gm)].map(([, version]) => version),
    text: () => text,
    isOver: () => stream.destroyed,
    goAway: () => stream.destroy(),
  }
}

t.test('a client receives the version, and another event only when it changes', async (t) => {
  const { cache, subscribe, followOthers, requestCount, respondWith, passSecond } = start(t)
  const reader = await subscribe()
  await eventually(() => reader.versions().length === 1)
  t.match(reader.text(), /^retry: \d{4}\n\ndata: one\n\n$/)
  cache.invalidate(ACME)
  passSecond()
  await eventually(() => requestCount() === 2)
  respondWith(page('two'))
  cache.invalidate(ACME)
  passSecond()
  await eventually(() => reader.versions().length === 2)
  t.same(reader.versions(), ['one', 'two'])
  const others = await followOthers()
  cache.invalidate(OTHERS)
  passSecond()
  await eventually(() => others.refreshCount() === 2)
  t.equal(requestCount(), 3, 'changes of other organizations cause no request')
})

t.test('a change causes one upstream request, regardless of the number of clients', async (t) => {
  const { cache, subscribe, requestCount, respondWith, passSecond } = start(t)
  const readers = await Promise.all(Array.from({ length: 50 }, () => subscribe()))
  t.equal(requestCount(), 1)
  respondWith(page('two'))
  for (let count = 0; count < 20; count++) cache.markAllStale()
  passSecond()
  await eventually(() => readers.every((one) => one.versions().at(-1) === 'two'))
  t.equal(requestCount(), 2)
})

t.test('streams stay open while core fails, and the last version remains', async (t) => {
  const { cache, subscribe, requestCount, respondWith, passSecond } = start(t)
  const reader = await subscribe()
  respondWith(failing)
  cache.invalidate(ACME)
  passSecond()
  await eventually(() => requestCount() === 2)
  t.equal(reader.isOver(), false)
  respondWith(page('two'))
  cache.markAllStale()
  passSecond()
  await eventually(() => reader.versions().at(-1) === 'two')
  t.same(reader.versions(), ['one', 'two'])
})

t.test('closing a page ends its streams', async (t) => {
  const { cache, subscribe, followOthers, respondWith, passSecond } = start(t)
  const subscriber = await subscribe()
  const others = await followOthers()
  cache.purge(OTHERS)
  await eventually(others.isOver)
  t.equal(subscriber.isOver(), false)
  cache.purge(ACME)
  await eventually(subscriber.isOver)
  for (const next of [forSome('one'), unknown]) {
    respondWith(page('one'))
    cache.purge(ACME)
    const reader = await subscribe()
    respondWith(next)
    cache.invalidate(ACME)
    passSecond()
    await eventually(reader.isOver)
  }
})

t.test('a stream that opened while its page was closed ends', async (t) => {
  const { cache, subscribe, respondWith } = start(t)
  respondWith(() => {
    cache.purge(ACME)
    return forSome('one')
  })
  await eventually((await subscribe()).isOver)
  t.pass('the stream sent no event')
})

t.test('clients with access to a restricted page receive events', async (t) => {
  const { cache, subscribe, open, respondWith, passSecond } = start(t)
  const guests = new Set(['192.0.2.1', '192.0.2.2'])
  let version = 'one'
  respondWith((who) => (guests.has(who) ? forSome(version) : unknown))
  t.match(await open('192.0.2.9'), { kind: 'passthrough', response: { status: 404 } })
  const [first, second] = [await subscribe('192.0.2.1'), await subscribe('192.0.2.2')]
  guests.delete('192.0.2.1')
  version = 'two'
  cache.invalidate(ACME)
  passSecond()
  await eventually(() => second.versions().at(-1) === 'two')
  t.ok(first.isOver(), 'a client without access no longer receives events')
  t.same(first.versions(), ['one'])
})

t.test('a page without a version has no event stream', async (t) => {
  const { open, respondWith } = start(t)
  for (const cacheControl of ['public, max-age=30', 'no-store']) {
    for (const text of ['# Markdown', '> data-version="one\n\ndata: two"', 'data-version="']) {
      const key = text + cacheControl
      respondWith({ ...page('one', cacheControl), body: Buffer.from(text) })
      t.same(await open(READER, key), { kind: 'no-events' }, key)
    }
  }
})

t.test('a response too large to inspect releases its connection', async (t) => {
  const { cache, subscribe, open, respondWith, passSecond } = start(t)
  const large = () => new Readable({ read() {} })
  const [atOpening, atRefresh] = [large(), large()]
  respondWith({ ...forSome('one'), body: atOpening })
  t.same(await open(), { kind: 'no-events' })
  t.ok(atOpening.destroyed)
  respondWith(forSome('one'))
  const reader = await subscribe()
  respondWith({ ...forSome('two'), body: atRefresh })
  cache.invalidate(ACME)
  passSecond()
  await eventually(reader.isOver)
  t.ok(atRefresh.destroyed)
})

t.test('streams beyond the quota are refused until another one ends', async (t) => {
  const { subscribe, open } = start(t, {
    streams: 3,
    streamsPerAllocation: 3,
    streamsPerAddress: 2,
  })
  const full = { code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '60' } }
  const first = await subscribe('192.0.2.1')
  await subscribe('192.0.2.1')
  await t.rejects(open('192.0.2.1'), full)
  await subscribe('192.0.2.2')
  await t.rejects(open('192.0.2.3'), full)
  first.goAway()
  await eventually(() => subscribe('192.0.2.3'))
  t.pass('its place is another’s')
})

t.test('a refused stream does not count towards the quota', async (t) => {
  const { subscribe, open, respondWith, passSecond } = start(t, {
    streams: 1,
    streamsPerAllocation: 1,
    streamsPerAddress: 1,
  })
  for (const response of [unknown, failing]) {
    respondWith(response)
    t.match(await open(), { kind: 'passthrough', response: { status: response.status } })
  }
  respondWith(page('one'))
  passSecond()
  await subscribe()
  t.pass('the only place was free')
  const down = start(t, { streams: 1, streamsPerAllocation: 1, streamsPerAddress: 1 })
  down.respondWith(() => {
    throw new Error('down')
  })
  await t.rejects(down.open(), { message: 'down' })
  await t.rejects(down.open(), { message: 'down' })
})

t.test('close ends every stream and refuses new ones', async (t) => {
  const { live, subscribe, open } = start(t)
  const readers = [await subscribe(), await subscribe('192.0.2.2')]
  live.close()
  await eventually(() => readers.every((one) => one.isOver()))
  await t.rejects(open(), { code: 'SERVICE_UNAVAILABLE' })
})

t.test('a client that does not read is disconnected', async (t) => {
  const stream: Readable & { sendData(data: string): void } = new EventStream()
  for (let count = 0; count < 1_000 && !stream.destroyed; count++) stream.sendData('one')
  t.ok(stream.destroyed)
  t.ok(stream.readableLength < 4_096)
})

t.test('the stream of a revoked session ends at once', async (t) => {
  const { live, open, respondWith } = start(t)
  respondWith(forSome('one'))
  const sessionOf = (tokenHash: string, organizationId = ACME) => ({ tokenHash, organizationId })
  const subscribe = async (session: SseClient['session'], key = 'k') =>
    readerOf(await open(READER, key, session))
  const revoked = await subscribe(sessionOf('revoked'))
  const other = await subscribe(sessionOf('other'))
  const foreign = await subscribe(sessionOf('foreign', OTHERS))
  const byPassword = await subscribe(null)
  live.endRevoked('revoked')
  await eventually(revoked.isOver)
  t.same(
    [other, foreign, byPassword].map((one) => one.isOver()),
    [false, false, false],
  )
  live.endRevoked(`organization:${ACME}`)
  await eventually(other.isOver)
  t.same(
    [foreign, byPassword].map((one) => one.isOver()),
    [false, false],
  )
  live.endRevoked(null)
  await eventually(foreign.isOver)
  t.equal(byPassword.isOver(), false, 'a reader without a session has none to lose')

  respondWith(page('public'))
  const onPublic = await subscribe(sessionOf('revoked'), 'public')
  live.endRevoked('revoked')
  await eventually(() => onPublic.versions().length === 1)
  t.equal(onPublic.isOver(), false, 'a page for everybody asks for no session')
})
