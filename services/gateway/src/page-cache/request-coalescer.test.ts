/** Who waits for whom, and no longer than that. */
import { mock } from 'node:test'
import t from 'tap'
import { noDiskStore } from './disk-store.ts'
import { createMemoryStore } from './memory-store.ts'
import { createPageCache } from './page-cache.ts'
import { RequestCoalescer } from './request-coalescer.ts'

t.test('whoever waits has a turn once, when who went ahead is back', async (t) => {
  const crowds = new RequestCoalescer()
  const turns: string[] = []
  const wait = (name: string, who: string) => crowds.wait(name, () => turns.push(who))
  t.notOk(wait('page', 'nobody went ahead'))
  const back = crowds.begin('page')
  t.ok(crowds.isInFlight('page'))
  t.notOk(wait('other page', 'nor for this one'))
  t.ok(wait('page', 'first') && wait('page', 'second'))
  t.same(turns, [])
  crowds.release('page')
  t.same(turns, ['first', 'second'])
  t.notOk(crowds.isInFlight('page'))
  const backAgain = crowds.begin('page')
  wait('page', 'third')
  back()
  t.same(turns, ['first', 'second'], 'it was another one that came back')
  backAgain()
  t.same(turns, ['first', 'second', 'third'])
})

t.test('nobody waits for long, nor too many', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const crowds = new RequestCoalescer()
  crowds.begin('page')
  let turns = 0
  let waiting = 0
  while (crowds.wait('page', () => turns++)) waiting++
  t.equal(waiting, 4_000)
  mock.timers.tick(250)
  t.equal(turns, waiting)
  t.notOk(crowds.isInFlight('page'))
  crowds.begin('page')
  t.ok(crowds.wait('page', () => {}))
})

t.test(
  'meanwhile a young answer does, unless its own organization changed something',
  async (t) => {
    let time = 1_000_000_000
    const cache = createPageCache({
      memory: createMemoryStore(),
      disk: noDiskStore,
      now: () => time,
    })
    const headers = { 'cache-control': 'public, max-age=30', etag: '"a"' }
    const response = { status: 200, body: Buffer.from('page') }
    const owned = { ...headers, 'x-internal-organization': 'acme' }
    const look = () =>
      cache.serve({ key: 'k', slug: 's', load: async () => ({ ...response, headers: owned }) })
    const known = () => [cache.getFresh('k') !== undefined, cache.getStale('k') !== undefined]
    cache.setInvalidationConnected(true)
    time++
    t.same(known(), [false, false])
    await look()
    cache.markAllStale()
    time += 1_001
    t.same(known(), [false, true], 'somebody changed something')
    time += 999
    t.same(known(), [false, false], 'it is too old')
    await look()
    cache.purge('another')
    t.same(known(), [true, true])
    cache.invalidate('acme')
    t.same(known(), [false, false])
  },
)
