/** Upstream responses that arrive after all clients have gone. */
import { Readable } from 'node:stream'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { eventually } from '@status-page/testing'
import t from 'tap'
import type { UpstreamResponse } from '../upstream/upstream-request.ts'
import { noDiskStore } from './disk-store.ts'
import { createPageCache } from './page-cache.ts'

t.test('a slow response is not awaited, and is discarded when no request reads it', async (t) => {
  let time = 1_000_000_000
  const cache = createPageCache({ disk: noDiskStore, now: () => time })
  const headers = { etag: '"a"', 'x-internal-organization': 'organization-1' }
  let load = async (): Promise<UpstreamResponse> => ({
    status: 200,
    body: Buffer.from('first'),
    headers: { ...headers, 'cache-control': 'public, max-age=30' },
  })
  const requestPage = () => cache.serve({ key: 'k', slug: 'acme', load: () => load() })
  await requestPage()
  time += 40_000
  const slow = Promise.withResolvers<UpstreamResponse>()
  load = () => slow.promise
  mock.timers.enable({ apis: ['setTimeout'] })
  const looking = requestPage()
  mock.timers.tick(2_000)
  mock.timers.reset()
  t.match(await looking, { kind: 'cached', isOutdated: false })
  const body = new Readable({ read() {} })
  slow.resolve({ status: 200, headers: { ...headers, 'cache-control': 'no-store' }, body })
  await eventually(() => body.destroyed)
  t.pass('its connection is free')
})

t.test('without invalidations, an entry is outdated while core does not respond', async (t) => {
  let time = 1_000_000_000
  const cache = createPageCache({ disk: noDiskStore, now: () => time })
  const headers = {
    etag: '"a"',
    'x-internal-organization': 'organization-1',
    'cache-control': 'public, max-age=30',
  }
  let load = async (): Promise<UpstreamResponse> => ({
    status: 200,
    body: Buffer.from('first'),
    headers,
  })
  const requestPage = () => cache.serve({ key: 'k', slug: 'acme', load: () => load() })
  await requestPage()
  time += 40_000
  cache.setInvalidationConnected(false)
  const slow = Promise.withResolvers<UpstreamResponse>()
  load = () => slow.promise
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const waiting = requestPage()
  const later = (ms: number) => {
    time += ms
    mock.timers.tick(ms)
  }
  later(2_000)
  await setImmediate()
  let isServed = false
  waiting.then(() => {
    isServed = true
  })
  await setImmediate()
  t.equal(isServed, false, 'access may have been revoked')
  later(3_000)
  t.match(await waiting, { kind: 'cached', isOutdated: true })
  time += 10_000
  const next = requestPage()
  await setImmediate()
  mock.timers.tick(1)
  await setImmediate()
  mock.timers.tick(1)
  t.match(await next, { kind: 'cached', isOutdated: true }, 'without another wait')
  slow.resolve({ status: 404, headers: {}, body: Buffer.from('not found') })
  await setImmediate()
  time += 1_001
  load = async () => ({ status: 404, headers: {}, body: Buffer.from('not found') })
  t.match(await requestPage(), { kind: 'passthrough', response: { status: 404 } })
})

t.test(
  'a page that becomes private during a slow revalidation is not served from cache',
  async (t) => {
    let time = 1_000_000_000
    const cache = createPageCache({ disk: noDiskStore, now: () => time })
    const headers = { etag: '"a"', 'x-internal-organization': 'organization-1' }
    const response = (text: string, cacheControl: string): UpstreamResponse => ({
      status: 200,
      headers: { ...headers, 'cache-control': cacheControl },
      body: Buffer.from(text),
    })
    let load = async () => response('public text', 'public, max-age=30')
    const serve = () => cache.serve({ key: 'k', slug: 'acme', load: () => load() })
    await serve()
    for (const [name, elapseMs] of [
      ['entry expired', 40_000],
      ['entry changed a moment ago', 1],
    ] as const) {
      cache.invalidate('organization-1')
      time += elapseMs
      const slow = Promise.withResolvers<UpstreamResponse>()
      load = () => slow.promise
      mock.timers.enable({ apis: ['setTimeout'] })
      const waiting = [serve(), serve()]
      time += 1
      cache.purge('organization-1')
      mock.timers.tick(2_000)
      mock.timers.reset()
      load = async () => response('password required', 'no-store')
      // Core read the page before the revocation, so this response is public as well.
      slow.resolve(response('public text', 'public, max-age=30'))
      for (const served of await Promise.all(waiting)) {
        t.equal(served.kind, 'passthrough', name)
        if (served.kind === 'passthrough')
          t.equal(String(served.response.body), 'password required', name)
      }
      time += 1
      load = async () => response('public text', 'public, max-age=30')
      await serve()
    }
  },
)

t.test('a revocation applies to a request in flight, even after ten thousand others', async (t) => {
  let time = 1_000_000_000
  const cache = createPageCache({ disk: noDiskStore, now: () => time })
  const slow = Promise.withResolvers<UpstreamResponse>()
  let load = () => slow.promise
  const serve = () => cache.serve({ key: 'k', slug: 'acme', load: () => load() })
  const waiting = serve()
  time += 1
  cache.purge('organization-1')
  for (let count = 0; count < 10_001; count++) cache.purge(`other-${count}`)
  load = async () => ({ status: 404, headers: {}, body: Buffer.from('not found') })
  slow.resolve({
    status: 200,
    headers: {
      etag: '"a"',
      'x-internal-organization': 'organization-1',
      'cache-control': 'public, max-age=30',
    },
    body: Buffer.from('public text'),
  })
  t.match(await waiting, { kind: 'passthrough', response: { status: 404 } })
  t.equal(cache.getFresh('k'), undefined)
})
