/** Fairness of the semaphore: an owner with many runs waits behind an owner with one. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { createFairSemaphore } from './fair-semaphore.ts'

const limits = {
  maxRunning: 2,
  maxWaitingPerOwner: 3,
  maxWaiting: 6,
  waitTimeoutMs: 60_000,
  rejectionMessage: 'Too many runs',
}

const stage = () => {
  const semaphore = createFairSemaphore(limits)
  const begun: string[] = []
  const gates = new Map<string, () => void>()
  const run = (owner: string, name: string) =>
    semaphore(owner, async () => {
      begun.push(name)
      const { promise, resolve } = Promise.withResolvers<void>()
      gates.set(name, resolve)
      await promise
    })
  const end = async (name: string) => {
    gates.get(name)?.()
    await nextTurn()
  }
  return { begun, run, end }
}

const refused = { code: 'SERVICE_UNAVAILABLE', message: 'Too many runs' }

t.test('an owner runs one task at a time and has a limited queue', async (t) => {
  const { begun, run, end } = stage()
  const runs = ['a1', 'a2', 'a3', 'a4'].map((name) => run('a', name))
  await t.rejects(run('a', 'a5'), refused)
  t.same(begun, ['a1'], 'another owner can start')
  runs.push(run('b', 'b1'), run('c', 'c1'))
  await nextTurn()
  t.same(begun, ['a1', 'b1'])
  await end('a1')
  t.same(begun, ['a1', 'b1', 'c1'], 'an owner that has run goes behind the others')
  await end('b1')
  t.same(begun, ['a1', 'b1', 'c1', 'a2'])
  for (const name of ['c1', 'a2', 'a3', 'a4']) await end(name)
  await Promise.all(runs)
  t.same(begun, ['a1', 'b1', 'c1', 'a2', 'a3', 'a4'])
})

t.test('all queues together are limited, and failed work releases its slot', async (t) => {
  const { begun, run, end } = stage()
  const runs = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => run(name, name))
  await t.rejects(run('i', 'i'), refused)
  await nextTurn()
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) await end(name)
  await Promise.all(runs)
  t.equal(begun.length, 8)
  const semaphore = createFairSemaphore(limits)
  const failing = semaphore('a', () => Promise.reject(new Error('broken')))
  await t.rejects(failing, { message: 'broken' })
  t.equal(await semaphore('a', async () => 'again'), 'again')
})

t.test('a wait that times out is rejected and leaves the queue', async (t) => {
  const semaphore = createFairSemaphore({
    ...limits,
    maxWaiting: 2,
    maxWaitingPerOwner: 1,
    waitTimeoutMs: 20,
  })
  const { promise: held, resolve: release } = Promise.withResolvers<string>()
  const running = semaphore('a', () => held)
  let isBegun = false
  const late = semaphore('a', async () => {
    isBegun = true
  })
  await t.rejects(late, refused)
  const next = semaphore('a', async () => 'next')
  release('done')
  t.equal(await running, 'done')
  t.equal(await next, 'next')
  t.notOk(isBegun)
})
