/** Coalescing of requests, and the bounds of waiting. */
import { mock } from 'node:test'
import t from 'tap'
import { noDiskStore } from './disk-store.ts'
import { createPageCache } from './page-cache.ts'
import { RequestCoalescer } from './request-coalescer.ts'

t.test('each waiting request continues once, when the first request ends', async (t) => {
  const coalescer = new RequestCoalescer()
  const turns: string[] = []
  const wait = (name: string, label: string) => coalescer.wait(name, () => turns.push(label))
  t.notOk(wait('page', 'no request in flight'))
  const endFirst = coalescer.begin('page')
  t.ok(coalescer.isInFlight('page'))
  t.notOk(wait('other page', 'no request for this key'))
  t.ok(wait('page', 'first') && wait('page', 'second'))
  t.same(turns, [])
  coalescer.release('page')
  t.same(turns, ['first', 'second'])
  t.notOk(coalescer.isInFlight('page'))
  const endSecond = coalescer.begin('page')
  wait('page', 'third')
  endFirst()
  t.same(turns, ['first', 'second'], 'an earlier request has ended')
  endSecond()
  t.same(turns, ['first', 'second', 'third'])
})

t.test('waiting is bounded in time and in number', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const coalescer = new RequestCoalescer()
  coalescer.begin('page')
  let turns = 0
  let waiting = 0
  while (coalescer.wait('page', () => turns++)) waiting++
  t.equal(waiting, 4_000)
  mock.timers.tick(250)
  t.equal(turns, waiting)
  t.notOk(coalescer.isInFlight('page'))
  coalescer.begin('page')
  t.ok(coalescer.wait('page', () => {}))
})

t.test(
  'a recent entry is served during a revalidation unless its organization changed',
  async (t) => {
    let time = 1_000_000_000
    const cache = createPageCache({
      disk: noDiskStore,
      now: () => time,
    })
    const headers = { 'cache-control': 'public, max-age=30', etag: '"a"' }
    const response = { status: 200, body: Buffer.from('page') }
    const owned = { ...headers, 'x-internal-organization': 'acme' }
    const requestPage = () =>
      cache.serve({ key: 'k', slug: 's', load: async () => ({ ...response, headers: owned }) })
    const known = () => [cache.getFresh('k') !== undefined, cache.getStale('k') !== undefined]
    cache.setInvalidationConnected(true)
    time++
    t.same(known(), [false, false])
    await requestPage()
    cache.markAllStale()
    time += 1_001
    t.same(known(), [false, true], 'an unknown organization changed')
    time += 999
    t.same(known(), [false, false], 'it is too old')
    await requestPage()
    cache.purge('another')
    t.same(known(), [true, true])
    cache.invalidate('acme')
    t.same(known(), [false, false])
  },
)
