/** An answer that comes when nobody waits for it any more. */
import { Readable } from 'node:stream'
import { mock } from 'node:test'
import { eventually } from '@status-page/testing'
import t from 'tap'
import type { Answer } from '../forwarding/exchange.ts'
import { createPageAnswers } from './answers.ts'
import { noDisk } from './disk.ts'
import { createMemory } from './memory.ts'

t.test('a slow answer is not waited for, and let go when nobody is left to read it', async (t) => {
  let time = 1_000_000_000
  const answers = createPageAnswers({ memory: createMemory(), disk: noDisk, now: () => time })
  const headers = { etag: '"a"', 'x-internal-organization': 'organization-1' }
  let ask = async (): Promise<Answer> => ({
    ...{ status: 200, body: Buffer.from('first') },
    headers: { ...headers, 'cache-control': 'public, max-age=30' },
  })
  const look = () => answers.serve({ key: 'k', slug: 'acme', ask: () => ask() })
  await look()
  time += 40_000
  const slow = Promise.withResolvers<Answer>()
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
