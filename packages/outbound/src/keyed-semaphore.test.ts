/** Order, limits and timeouts of the keyed semaphore. */
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import { createKeyedSemaphore } from './keyed-semaphore.ts'
import { createOutbound } from './outbound.ts'
import { outboundPolicy } from './policy.ts'

t.test('a released slot goes to the longest waiting caller', async (t) => {
  const places = createKeyedSemaphore({ each: 1, waiting: 2 })
  const leave = await places.acquire('a', 60_000)
  const order: string[] = []
  const [second, third] = ['second', 'third'].map(async (name) => {
    const leave = await places.acquire('a', 60_000)
    order.push(name)
    leave?.()
  })
  t.ok(await places.acquire('b', 60_000), 'another far end has room of its own')
  t.equal(await places.acquire('a', 60_000), null, 'no more wait than may')
  leave?.()
  await Promise.all([second, third])
  t.same(order, ['second', 'third'])
})

t.test('a caller whose wait timed out leaves the queue', async (t) => {
  const places = createKeyedSemaphore({ each: 1, waiting: 1 })
  const leave = await places.acquire('a', 60_000)
  t.equal(await places.acquire('a', 1), null)
  const next = places.acquire('a', 60_000)
  leave?.()
  t.ok(await next)
})

t.test('the deadline of a request starts when it has a connection', async (t) => {
  const hung = Promise.withResolvers<object>()
  const target = await httpTarget(t, ({ url }) => (url === '/hangs' ? hung.promise : {}))
  const policy = outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [] })
  const outbound = createOutbound({ policy, connectionsPerHost: 1 })
  t.teardown(() => {
    hung.resolve({})
    return outbound.close()
  })
  const ask = (path: string) =>
    outbound.request({
      url: `${target.url}${path}`,
      method: 'GET',
      headers: {},
      timeoutMs: 1_000,
      maxBodyBytes: 1_000,
      pool: 'test',
    })
  const [first, second] = await Promise.all([ask('/hangs'), ask('/answers')])
  t.match(first, { ok: false, error: 'timeout' })
  t.match(second, { ok: true, status: 200 })
})
