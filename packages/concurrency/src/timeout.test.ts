/** Results of a timeout, and what it leaves behind. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { withTimeout } from './timeout.ts'

const refuse = () => {
  throw new Error('too late')
}

const countTimers = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

t.test('work in time returns its result and leaves no timer', async (t) => {
  const before = countTimers()
  t.equal(await withTimeout(Promise.resolve('done'), 60_000, refuse), 'done')
  await t.rejects(withTimeout(Promise.reject(new Error('broken')), 60_000, refuse), {
    message: 'broken',
  })
  t.ok(countTimers() <= before)
})

t.test('late work is replaced by the fallback, or by its error', async (t) => {
  const work = new Promise(() => {})
  t.equal(await withTimeout(work, 1, () => 'fallback'), 'fallback')
  await t.rejects(withTimeout(work, 1, refuse), { message: 'too late' })
})

/** Blocks this thread, as a suspension of the process does. */
const stall = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

t.test('a response that is in the socket when a stall ends is in time', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port)
  t.teardown(() => client.destroy())
  const [[accepted]] = await Promise.all([once(server, 'connection'), once(client, 'connect')])
  accepted.end('response')
  const work = withTimeout(once(client, 'data'), 20, refuse)
  stall(60)
  t.equal(String(await work), 'response')
})

t.test('a rejection after the timeout is handled', async (t) => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  t.teardown(() => process.off('unhandledRejection', note))
  const work = Promise.withResolvers<void>()
  await withTimeout(work.promise, 1, () => {})
  work.reject(new Error('late'))
  await pause(1)
  t.same(unhandled, [])
})
