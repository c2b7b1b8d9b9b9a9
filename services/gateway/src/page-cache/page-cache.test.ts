/** What is kept and for how long, who waits for whom, and what is served when there is no answer. */
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { UpstreamResponse } from '../forwarding/upstream-request.ts'
import { createDiskStore, type DiskStore, noDiskStore } from './disk-store.ts'
import { createMemoryStore } from './memory-store.ts'
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
  let asked = 0
  let response: () => Promise<UpstreamResponse> = async () => good('first')
  const tags: (string | undefined)[] = []
  const cache = createPageCache({ memory: createMemoryStore(), disk, now: () => time })
  cache.setInvalidationConnected(true)
  time += 10
  const look = async (key = 'k') => {
    const served = await cache.serve({
      key,
      slug: 'acme',
      load: (etag) => {
        asked++
        tags.push(etag)
        return response()
      },
    })
    if (served.kind === 'passthrough')
      return { text: String(served.response.body), isOutdated: null }
    return { text: String(served.entry.body), isOutdated: served.isOutdated }
  }
  return {
    cache,
    look,
    tags,
    asked: () => asked,
    pass: (ms: number) => {
      time += ms
    },
    say: (next: UpstreamResponse | (() => Promise<UpstreamResponse>)) => {
      response = typeof next === 'function' ? next : async () => next
    },
  }
}

t.test('an answer for everybody is asked for once while nothing changes', async (t) => {
  const { look, asked, pass } = start()
  for (let count = 0; count < 5; count++) t.match(await look(), { text: 'first' })
  t.equal(asked(), 1)
  pass(30_001)
  await look()
  t.equal(asked(), 2)
})

t.test('one request asks, the others wait for it', async (t) => {
  const { look, asked } = start()
  const all = await Promise.all(Array.from({ length: 50 }, () => look()))
  t.ok(all.every(({ text }) => text === 'first'))
  t.equal(asked(), 1)
})

t.test('what is not for everybody is for one request each', async (t) => {
  const { look, asked, say } = start()
  let count = 0
  say(async () => closed(`for ${++count}`))
  const all = await Promise.all([look(), look(), look()])
  t.equal(new Set(all.map(({ text }) => text)).size, 3)
  t.equal(asked(), 3)
  await look()
  t.equal(asked(), 4)
})

t.test('a change of the organization is seen by the next request', async (t) => {
  const { cache, look, say, tags } = start()
  await look()
  say(good('second'))
  cache.invalidate('another')
  t.match(await look(), { text: 'first' })
  cache.invalidate(ACME)
  t.match(await look(), { text: 'second', isOutdated: false })
  t.same(tags, [undefined, '"first"'], 'it is asked with the tag of what is kept')
})

t.test('a question that was under way at a change is asked again', async (t) => {
  const { cache, look, say, asked, pass } = start()
  await look()
  cache.invalidate(ACME)
  const { promise, resolve } = Promise.withResolvers<UpstreamResponse>()
  say(() => promise)
  pass(1)
  const early = look()
  pass(1)
  cache.invalidate(ACME)
  pass(1)
  say(good('third'))
  const late = look()
  resolve(good('second'))
  t.match(await early, { text: 'second' })
  t.match(await late, { text: 'third' })
  t.equal(asked(), 3)
})

t.test('somebody’s change asks for a page again, at most once a second', async (t) => {
  const { cache, look, asked, pass } = start()
  await look()
  cache.markAllStale()
  await look()
  t.equal(asked(), 1)
  pass(1_001)
  await look()
  t.equal(asked(), 2)
})

t.test('an unchanged answer is kept on without its bytes', async (t) => {
  const { look, say, pass, asked } = start()
  await look()
  say(notModified)
  pass(40_000)
  t.match(await look(), { text: 'first', isOutdated: false })
  pass(1_000)
  await look()
  t.equal(asked(), 2)
})

t.test('while nobody answers the last good answer is served and marked, for a day', async (t) => {
  for (const fault of [failing, () => Promise.reject(new Error('down'))]) {
    const { look, say, pass, asked } = start()
    await look()
    say(fault)
    pass(40_000)
    t.match(await look(), { text: 'first', isOutdated: true })
    await look()
    t.equal(asked(), 2, 'a crowd does not ask again at once')
    pass(1_001)
    say(good('back'))
    t.match(await look(), { text: 'back', isOutdated: false })
    say(fault)
    pass(MAX_STALE_MS + 1)
    if (fault === failing) t.match(await look(), { text: '{}', isOutdated: null })
    else await t.rejects(look(), { message: 'down' })
  }
})

t.test('a page that is closed drops what was kept of it', async (t) => {
  const { look, say, pass, cache } = start()
  await look()
  say(closed('not for you'))
  pass(40_000)
  await look()
  say(failing)
  pass(5_000)
  t.match(await look(), { text: '{}', isOutdated: null })
  say(good('open'))
  pass(5_000)
  await look()
  cache.purge(ACME)
  say(failing)
  t.match(await look(), { text: '{}', isOutdated: null }, 'who may see it has changed')
})

t.test('the disk has the last good answers for the next process', async (t) => {
  const folder = temporaryFolder(t)
  const disk = createDiskStore(folder, (error) => t.fail(String(error)))
  const before = start(disk)
  await before.look()
  await disk.flushed()
  const after = start(createDiskStore(folder, (error) => t.fail(String(error))))
  after.say(failing)
  t.match(await after.look(), { text: 'first', isOutdated: true })
  t.match(await after.look('other'), { text: '{}', isOutdated: null })
  before.say(closed('not for you'))
  before.pass(40_000)
  await before.look()
  await disk.flushed()
  t.same(readdirSync(folder), [])
})

t.test('what the disk knows of a closed page is never served, nor kept', async (t) => {
  const folder = temporaryFolder(t)
  const disk = createDiskStore(folder, (error) => t.fail(String(error)))
  const before = start(disk)
  await before.look()
  await before.look('second key')
  await disk.flushed()
  const anew = createDiskStore(folder, (error) => t.fail(String(error)))
  const after = start(anew)
  after.cache.purge('another')
  await anew.flushed()
  t.equal(readdirSync(folder).length, 2)
  after.say(failing)
  after.cache.purge(ACME)
  t.match(await after.look(), { text: '{}', isOutdated: null }, 'at once')
  await anew.flushed()
  t.same(readdirSync(folder), [])
})

t.test('an answer that was under way when its page was closed is not kept', async (t) => {
  const { cache, look, say, pass } = start()
  const { promise, resolve } = Promise.withResolvers<UpstreamResponse>()
  say(() => promise)
  const early = look()
  pass(1)
  cache.purge(ACME)
  say(failing)
  resolve(good('was for everybody'))
  await early
  pass(5_000)
  t.match(await look(), { text: '{}', isOutdated: null })
})

t.test('the disk says of when an unchanged answer is, not of when it was made', async (t) => {
  const folder = temporaryFolder(t)
  const disk = createDiskStore(folder, (error) => t.fail(String(error)))
  const { look, pass } = start(disk)
  await look()
  pass(MAX_STALE_MS - 1_000)
  await look()
  await disk.flushed()
  const next = start(createDiskStore(folder, (error) => t.fail(String(error))))
  next.pass(MAX_STALE_MS + 1_000)
  next.say(failing)
  t.match(await next.look(), { text: 'first', isOutdated: true })
})

t.test('an unchanged answer whose file was tidied away is written again', async (t) => {
  const folder = temporaryFolder(t)
  const disk = createDiskStore(folder, (error) => t.fail(String(error)))
  const { look, pass } = start(disk)
  await look()
  await disk.flushed()
  await disk.prune(MAX_STALE_MS)
  pass(MAX_STALE_MS)
  await look()
  await disk.flushed()
  t.equal(readdirSync(folder).length, 1)
})

t.test('half a file is none', async (t) => {
  const folder = temporaryFolder(t)
  const disk = createDiskStore(folder, (error) => t.fail(String(error)))
  const { look } = start(disk)
  await look()
  await disk.flushed()
  const [name = ''] = readdirSync(folder)
  truncateSync(join(folder, name), statSync(join(folder, name)).size - 1)
  const next = start(createDiskStore(folder, (error) => t.fail(String(error))))
  next.say(failing)
  t.match(await next.look(), { text: '{}', isOutdated: null })
})

t.test('whoever asks for ever new answers does not fill the disk', async (t) => {
  const folder = temporaryFolder(t)
  const disk = createDiskStore(folder, (error) => t.fail(String(error)), { files: 10, bytes: 1e6 })
  const { look } = start(disk)
  for (let count = 0; count < 50; count++) {
    await look(`key ${count}`)
    await disk.flushed()
  }
  t.ok(readdirSync(folder).length <= 20)
})

t.test('the disk forgets what is too old to be served', async (t) => {
  const folder = temporaryFolder(t)
  const disk = createDiskStore(folder, (error) => t.fail(String(error)))
  const { look } = start(disk)
  await look()
  await disk.flushed()
  t.equal(readdirSync(folder).length, 1)
  // The clock of the test stands long ago.
  await disk.prune(MAX_STALE_MS)
  t.same(readdirSync(folder), [])
})
