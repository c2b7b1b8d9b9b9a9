/** An answer that comes when nobody waits for it any more. */
import { Readable } from 'node:stream'
import { mock } from 'node:test'
import { eventually } from '@status-page/testing'
import t from 'tap'
import type { UpstreamResponse } from '../forwarding/upstream-request.ts'
import { noDisk } from './disk-store.ts'
import { createMemory } from './memory-store.ts'
import { createPageAnswers } from './page-cache.ts'

t.test('a slow answer is not waited for, and let go when nobody is left to read it', async (t) => {
  let time = 1_000_000_000
  const answers = createPageAnswers({ memory: createMemory(), disk: noDisk, now: () => time })
  const headers = { etag: '"a"', 'x-internal-organization': 'organization-1' }
  let ask = async (): Promise<UpstreamResponse> => ({
    status: 200,
    body: Buffer.from('first'),
    headers: { ...headers, 'cache-control': 'public, max-age=30' },
  })
  const look = () => answers.serve({ key: 'k', slug: 'acme', ask: () => ask() })
  await look()
  time += 40_000
  const slow = Promise.withResolvers<UpstreamResponse>()
  ask = () => slow.promise
  mock.timers.enable({ apis: ['setTimeout'] })
  const looking = look()
  mock.timers.tick(2_000)
  mock.timers.reset()
  t.match(await looking, { kind: 'kept', isOutdated: false })
  const body = new Readable({ read() {} })
  slow.resolve({ status: 200, headers: { ...headers, 'cache-control': 'no-store' }, body })
  await eventually(() => body.destroyed)
  t.pass('its connection is free')
})

t.test(
  'a page that becomes private during a slow revalidation is not served from cache',
  async (t) => {
    let time = 1_000_000_000
    const memory = createMemory()
    const answers = createPageAnswers({ memory, disk: noDisk, now: () => time })
    const headers = { etag: '"a"', 'x-internal-organization': 'organization-1' }
    const response = (text: string, cacheControl: string): UpstreamResponse => ({
      status: 200,
      headers: { ...headers, 'cache-control': cacheControl },
      body: Buffer.from(text),
    })
    let ask = async () => response('public text', 'public, max-age=30')
    const serve = () => answers.serve({ key: 'k', slug: 'acme', ask: () => ask() })
    await serve()
    for (const [name, elapseMs] of [
      ['entry expired', 40_000],
      ['entry changed a moment ago', 1],
    ] as const) {
      answers.changed('organization-1', false)
      time += elapseMs
      const slow = Promise.withResolvers<UpstreamResponse>()
      ask = () => slow.promise
      mock.timers.enable({ apis: ['setTimeout'] })
      const waiting = [serve(), serve()]
      time += 1
      answers.changed('organization-1', true)
      mock.timers.tick(2_000)
      mock.timers.reset()
      ask = async () => response('password required', 'no-store')
      // Read by core before the revocation: public, too.
      slow.resolve(response('public text', 'public, max-age=30'))
      for (const served of await Promise.all(waiting)) {
        t.equal(served.kind, 'own', name)
        if (served.kind === 'own') t.equal(String(served.answer.body), 'password required', name)
      }
      time += 1
      ask = async () => response('public text', 'public, max-age=30')
      await serve()
    }
  },
)

t.test('a revocation holds for a request in flight after ten thousand others', async (t) => {
  let time = 1_000_000_000
  const answers = createPageAnswers({ memory: createMemory(), disk: noDisk, now: () => time })
  const slow = Promise.withResolvers<UpstreamResponse>()
  let ask = () => slow.promise
  const serve = () => answers.serve({ key: 'k', slug: 'acme', ask: () => ask() })
  const waiting = serve()
  time += 1
  answers.changed('organization-1', true)
  for (let count = 0; count < 10_001; count++) answers.changed(`other-${count}`, true)
  ask = async () => ({ status: 404, headers: {}, body: Buffer.from('not found') })
  slow.resolve({
    status: 200,
    headers: {
      etag: '"a"',
      'x-internal-organization': 'organization-1',
      'cache-control': 'public, max-age=30',
    },
    body: Buffer.from('public text'),
  })
  t.match(await waiting, { kind: 'own', answer: { status: 404 } })
  t.equal(answers.current('k'), undefined)
})
