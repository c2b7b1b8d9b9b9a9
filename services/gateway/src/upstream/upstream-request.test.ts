/** Large upstream response whose connection breaks. */
import type { Readable } from 'node:stream'
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import { Pool } from 'undici'
import { sendRequest } from './upstream-request.ts'

t.test('a response that breaks before it is read affects nothing else', async (t) => {
  const target = await httpTarget(t, (_request, response) => {
    response.writeHead(200, { 'content-length': String(2 * 1024 * 1024) })
    response.flushHeaders()
    return undefined
  })
  const pool = new Pool(target.url)
  t.teardown(() => pool.destroy())
  const { body } = await sendRequest(pool, { method: 'GET', path: '/' })
  const stream = body as Readable
  // `once` would also listen for errors.
  const closed = new Promise((resolve) => stream.on('close', resolve))
  await target.close()
  await closed
  t.ok(stream.errored)
})
