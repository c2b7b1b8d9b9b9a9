/** Fairness of the semaphore: an owner with many runs waits behind an owner with one. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { createFairSemaphore } from './fair-semaphore.ts'

const limits = {
  maxRunning: 2,
  maxWaitingPerOwner: 3,
  maxWaiting: 6,
  waitTimeoutMs: 60_000,
  rejectionMessage: 'Too many at once',
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

const refused = { code: 'SERVICE_UNAVAILABLE', message: 'Too many at once' }

t.test('an owner has one turn at a time, and no more waiting than its share', async (t) => {
  const { begun, run, end } = stage()
  const runs = ['a1', 'a2', 'a3', 'a4'].map((name) => run('a', name))
  await t.rejects(run('a', 'a5'), refused)
  t.same(begun, ['a1'], 'there is room for another owner')
  runs.push(run('b', 'b1'), run('c', 'c1'))
  await nextTurn()
  t.same(begun, ['a1', 'b1'])
  await end('a1')
  t.same(begun, ['a1', 'b1', 'c1'], 'who has had a turn is behind who has not')
  await end('b1')
  t.same(begun, ['a1', 'b1', 'c1', 'a2'])
  for (const name of ['c1', 'a2', 'a3', 'a4']) await end(name)
  await Promise.all(runs)
  t.same(begun, ['a1', 'b1', 'c1', 'a2', 'a3', 'a4'])
})

t.test('all owners together have a bound, and work that fails gives its turn back', async (t) => {
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

t.test('who has waited too long is told so, and its place is free', async (t) => {
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
