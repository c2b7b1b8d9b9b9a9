/** Page cache: lifetimes, shared upstream requests, and stale responses while core fails. */
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { UpstreamResponse } from '../upstream/upstream-request.ts'
import { createDiskStore, type DiskStore, noDiskStore } from './disk-store.ts'
import { createPageCache, MAX_STALE_MS } from './page-cache.ts'

const PUBLIC = 'public, max-age=30, stale-while-revalidate=60, stale-if-error=86400'
const ACME = 'organization-1'

const good = (text: string, more: Record<string, string> = {}): UpstreamResponse => ({
  status: 200,
  headers: {
    'cache-control': PUBLIC,
    etag: `"${text}"`,
    'content-type': 'text/html',
    'x-internal-organization': ACME,
    'set-cookie': undefined,
    ...more,
  },
  body: Buffer.from(text),
})

const closed = (text: string): UpstreamResponse => good(text, { 'cache-control': 'no-store' })
const failing: UpstreamResponse = { status: 503, headers: {}, body: Buffer.from('{}') }
const notModified: UpstreamResponse = { ...good('same'), status: 304, body: Buffer.alloc(0) }

const temporaryFolder = (t: Test): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pages-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const start = (disk: DiskStore = noDiskStore) => {
  let time = 1_000_000_000
  let requestCount = 0
  let response: () => Promise<UpstreamResponse> = async () => good('first')
  const tags: (string | undefined)[] = []
  const cache = createPageCache({ disk, now: () => time })
  cache.setInvalidationConnected(true)
  time += 10
  const requestPage = async (key = 'k') => {
    const served = await cache.serve({
      key,
      slug: 'acme',
      load: (etag) => {
        requestCount++
        tags.push(etag)
        return response()
      },
    })
    if (served.kind === 'passthrough')
      return { text: String(served.response.body), isOutdated: null }
    const { bytes, encoding } = served.entry.body
    const body = encoding === 'gzip' ? gunzipSync(bytes) : bytes
    return { text: String(body), isOutdated: served.isOutdated }
  }
  return {
    cache,
    requestPage,
    tags,
    requestCount: () => requestCount,
    pass: (ms: number) => {
      time += ms
    },
    respondWith: (next: UpstreamResponse | (() => Promise<UpstreamResponse>)) => {
      response = typeof next === 'function' ? next : async () => next
    },
  }
}

t.test('a public response is requested once while nothing changes', async (t) => {
  const { requestPage, requestCount, pass } = start()
  for (let count = 0; count < 5; count++) t.match(await requestPage(), { text: 'first' })
  t.equal(requestCount(), 1)
  pass(30_001)
  await requestPage()
  t.equal(requestCount(), 2)
})

t.test('concurrent requests share one upstream request', async (t) => {
  const { requestPage, requestCount } = start()
  const all = await Promise.all(Array.from({ length: 50 }, () => requestPage()))
  t.ok(all.every(({ text }) => text === 'first'))
  t.equal(requestCount(), 1)
})

t.test('responses that are not public are requested once per client', async (t) => {
  const { requestPage, requestCount, respondWith } = start()
  let count = 0
  respondWith(async () => closed(`for ${++count}`))
  const all = await Promise.all([requestPage(), requestPage(), requestPage()])
  t.equal(new Set(all.map(({ text }) => text)).size, 3)
  t.equal(requestCount(), 3)
  await requestPage()
  t.equal(requestCount(), 4)
})

t.test('a change of the organization is seen by the next request', async (t) => {
  const { cache, requestPage, respondWith, tags } = start()
  await requestPage()
  respondWith(good('second'))
  cache.invalidate('another')
  t.match(await requestPage(), { text: 'first' })
  cache.invalidate(ACME)
  t.match(await requestPage(), { text: 'second', isOutdated: false })
  t.same(tags, [undefined, '"first"'], 'revalidated with the etag of the entry')
})

t.test('a request that was in flight during a change is repeated', async (t) => {
  const { cache, requestPage, respondWith, requestCount, pass } = start()
  await requestPage()
  cache.invalidate(ACME)
  const { promise, resolve } = Promise.withResolvers<UpstreamResponse>()
  respondWith(() => promise)
  pass(1)
  const early = requestPage()
  pass(1)
  cache.invalidate(ACME)
  pass(1)
  respondWith(good('third'))
  const late = requestPage()
  resolve(good('second'))
  t.match(await early, { text: 'second' })
  t.match(await late, { text: 'third' })
  t.equal(requestCount(), 3)
})

t.test(
  'a change of an unknown organization revalidates a page at most once a second',
  async (t) => {
    const { cache, requestPage, requestCount, pass } = start()
    await requestPage()
    cache.markAllStale()
    await requestPage()
    t.equal(requestCount(), 1)
    pass(1_001)
    await requestPage()
    t.equal(requestCount(), 2)
  },
)

t.test('an unchanged response is confirmed without a transfer of its body', async (t) => {
  const { requestPage, respondWith, pass, requestCount } = start()
  await requestPage()
  respondWith(notModified)
  pass(40_000)
  t.match(await requestPage(), { text: 'first', isOutdated: false })
  pass(1_000)
  await requestPage()
  t.equal(requestCount(), 2)
})

t.test('the last good response is served and marked for a day while core is down', async (t) => {
  for (const fault of [failing, () => Promise.reject(new Error('down'))]) {
    const { requestPage, respondWith, pass, requestCount } = start()
    await requestPage()
    respondWith(fault)
    pass(40_000)
    t.match(await requestPage(), { text: 'first', isOutdated: true })
    await requestPage()
    t.equal(requestCount(), 2, 'concurrent requests do not retry at once')
    pass(1_001)
    respondWith(good('back'))
    t.match(await requestPage(), { text: 'back', isOutdated: false })
    respondWith(fault)
    pass(MAX_STALE_MS + 1)
    if (fault === failing) t.match(await requestPage(), { text: '{}', isOutdated: null })
    else await t.rejects(requestPage(), { message: 'down' })
  }
})

t.test('a closed page is dropped from the cache', async (t) => {
  const { requestPage, respondWith, pass, cache } = start()
  await requestPage()
  respondWith(closed('not for you'))
  pass(40_000)
  await requestPage()
  respondWith(failing)
  pass(5_000)
  t.match(await requestPage(), { text: '{}', isOutdated: null })
  respondWith(good('open'))
  pass(5_000)
  await requestPage()
  cache.purge(ACME)
  respondWith(failing)
  t.match(await requestPage(), { text: '{}', isOutdated: null }, 'access to the page changed')
})

t.test('the disk store holds the last good responses for the next process', async (t) => {
  const folder = temporaryFolder(t)
  const disk = createDiskStore(folder, (error) => t.fail(String(error)))
  const before = start(disk)
  await before.requestPage()
  await disk.flushed()
  const after = start(createDiskStore(folder, (error) => t.fail(String(error))))
  after.respondWith(failing)
  t.match(await after.requestPage(), { text: 'first', isOutdated: true })
  t.match(await after.requestPage('other'), { text: '{}', isOutdated: null })
  before.respondWith(closed('not for you'))
  before.pass(40_000)
  await before.requestPage()
  await disk.flushed()
  t.same(readdirSync(folder), [])
})

t.test('gateways that share the folder write the same entry at the same time', async (t) => {
  const folder = temporaryFolder(t)
  const disks = Array.from({ length: 8 }, () =>
    createDiskStore(folder, (error) => t.fail(String(error))),
  )
  await Promise.all(disks.map((disk) => start(disk).requestPage()))
  await Promise.all(disks.map((disk) => disk.flushed()))
  t.equal(readdirSync(folder).length, 1)
  const next = start(createDiskStore(folder, (error) => t.fail(String(error))))
  next.respondWith(failing)
  t.match(await next.requestPage(), { text: 'first', isOutdated: true })
})

t.test('files of a closed page are never served and are removed', async (t) => {
  const folder = temporaryFolder(t)
  const disk = createDiskStore(folder, (error) => t.fail(String(error)))
  const before = start(disk)
  await before.requestPage()
  await before.requestPage('second key')
  await disk.flushed()
  const reopened = createDiskStore(folder, (error) => t.fail(String(error)))
  const after = start(reopened)
  after.cache.purge('another')
  await reopened.flushed()
  t.equal(readdirSync(folder).length, 2)
  after.respondWith(failing)
  after.cache.purge(ACME)
  t.match(await after.requestPage(), { text: '{}', isOutdated: null }, 'at once')
  await reopened.flushed()
  t.same(readdirSync(folder), [])
})

t.test('a response in flight when its page was closed is not cached', async (t) => {
  const { cache, requestPage, respondWith, pass } = start()
  const { promise, resolve } = Promise.withResolvers<UpstreamResponse>()
  respondWith(() => promise)
  const early = requestPage()
  pass(1)
  cache.purge(ACME)
  respondWith(failing)
  resolve(good('was for everybody'))
  await early
  pass(5_000)
  t.match(await requestPage(), { text: '{}', isOutdated: null })
})

t.test('the disk store holds the time of the last confirmation, not of the creation', async (t) => {
  const folder = temporaryFolder(t)
  const disk = createDiskStore(folder, (error) => t.fail(String(error)))
  const { requestPage, pass } = start(disk)
  await requestPage()
  pass(MAX_STALE_MS - 1_000)
  await requestPage()
  await disk.flushed()
  const next = start(createDiskStore(folder, (error) => t.fail(String(error))))
  next.pass(MAX_STALE_MS + 1_000)
  next.respondWith(failing)
  t.match(await next.requestPage(), { text: 'first', isOutdated: true })
})

t.test('a confirmed response whose file was pruned is written again', async (t) => {
  const folder = temporaryFolder(t)
  const disk = createDiskStore(folder, (error) => t.fail(String(error)))
  const { requestPage, pass } = start(disk)
  await requestPage()
  await disk.flushed()
  await disk.prune(MAX_STALE_MS)
  pass(MAX_STALE_MS)
  await requestPage()
  await disk.flushed()
  t.equal(readdirSync(folder).length, 1)
})

t.test('a truncated file is ignored', async (t) => {
  const folder = temporaryFolder(t)
  const disk = createDiskStore(folder, (error) => t.fail(String(error)))
  const { requestPage } = start(disk)
  await requestPage()
  await disk.flushed()
  const [name = ''] = readdirSync(folder)
  truncateSync(join(folder, name), statSync(join(folder, name)).size - 1)
  const next = start(createDiskStore(folder, (error) => t.fail(String(error))))
  next.respondWith(failing)
  t.match(await next.requestPage(), { text: '{}', isOutdated: null })
})

t.test('requests with ever new keys do not fill the disk', async (t) => {
  const folder = temporaryFolder(t)
  const disk = createDiskStore(folder, (error) => t.fail(String(error)), { files: 10, bytes: 1e6 })
  const { requestPage } = start(disk)
  for (let count = 0; count < 50; count++) {
    await requestPage(`key ${count}`)
    await disk.flushed()
  }
  t.ok(readdirSync(folder).length <= 20)
})

t.test('files too old to be served are removed', async (t) => {
  const folder = temporaryFolder(t)
  const disk = createDiskStore(folder, (error) => t.fail(String(error)))
  const { requestPage } = start(disk)
  await requestPage()
  await disk.flushed()
  t.equal(readdirSync(folder).length, 1)
  // The test's clock is years ago.
  await disk.prune(MAX_STALE_MS)
  t.same(readdirSync(folder), [])
})

t.test('a response of any size is requested once, and is on disk', async (t) => {
  const folder = temporaryFolder(t)
  const disk = createDiskStore(folder, (error) => t.fail(String(error)))
  const text = 'A day of a component. '.repeat(200_000)
  const large = () => ({ ...good('large'), body: Readable.from([Buffer.from(text)]) })
  const { requestPage, requestCount, respondWith } = start(disk)
  respondWith(async () => large())
  const replies = await Promise.all(Array.from({ length: 20 }, () => requestPage()))
  t.ok(replies.every((reply) => reply.text === text))
  t.equal(requestCount(), 1)
  await disk.flushed()
  const next = start(createDiskStore(folder, (error) => t.fail(String(error))))
  next.respondWith(failing)
  const stored = await next.requestPage()
  t.ok(stored.text === text, 'the whole body is on disk')
  t.equal(stored.isOutdated, true)
})

t.test('a large response that ends early leaves the former one', async (t) => {
  const { requestPage, respondWith, pass } = start()
  await requestPage()
  pass(30_001)
  const broken = async function* () {
    yield Buffer.from('half of it')
    throw new Error('the connection was closed')
  }
  respondWith(async () => ({ ...good('broken'), body: Readable.from(broken()) }))
  t.same(await requestPage(), { text: 'first', isOutdated: true })
})
